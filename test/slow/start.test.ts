/** `npm start` in front of somebody at a terminal: no question, few lines, and the way to the report and to the gate. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { makeProject, useShippedDefaults } from '../support/cli.ts';
import { openTerminal } from '../support/terminal.ts';

/** All frames of the live block begin with this sequence: what was drawn before the last one is overwritten. */
const FRAME = '\u001B[?2026h';

test('asks nothing, meets the target, and leaves at most 25 lines of 80 columns on the screen', async () => {
  const project = await makeProject('refund-desk');
  await useShippedDefaults(project);
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: { start: string } };
  const [, , ...args] = scripts.start.split(' ');
  const terminal = await openTerminal(args, { cwd: project });
  expect(await terminal.ended).toBe(0);
  const raw = terminal.raw();
  const before = raw.slice(raw.indexOf('@', raw.indexOf('@pid') + 1) + 1, raw.indexOf(FRAME));
  const screen = stripVTControlCharacters(before + raw.slice(raw.lastIndexOf(FRAME))).replaceAll('\r', '');
  const rows = screen
    .trim()
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 80)), 0);
  expect(rows).toBeLessThanOrEqual(25);
  expect(screen).toContain('Target met');
  expect(screen).toMatch(
    /HITL-1\.r1 approved by policy:demo[^]*i1 \(r1\): \d+ of 16 passed[^]*i3 \(r2\): 15 of 16 passed/,
  );
  expect(screen).toMatch(/run refund-desk --profile demo --on-gate prompt$/m);
  const [, report = ''] = /^report {3}(scenarios\/\S+)$/m.exec(screen) ?? [];
  expect(await readFile(join(project, report), 'utf8')).toContain('<html');
  expect(screen).not.toMatch(/\? |\[y\/N\]|\[a\]/);
}, 240_000);
