/** Examples of the help pages that need no key and no person, as typed: each ends with the exit code that its command promises. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXAMPLES } from '../../src/cli/examples.ts';
import { wordsOfLine } from '../support/shell-words.ts';
import { finishedProject, tandem } from '../support/cli.ts';

/** In this order: what a later one reads an earlier one has made. */
const OFFLINE: readonly [line: string, code: number][] = [
  ['validate refund-desk --profile demo', 0],
  ['init my-desk --title "My support desk"', 0],
  ['status', 0],
  ['status 20261120 --json', 0],
  ['report 20261120', 0],
  ['verify 20261120', 0],
  ['upgrade-check', 0],
  ['gates list', 0],
  ['gates show 20261120', 0],
  ['gates show 20261120 HITL-1.r1 --diff', 0],
  ['context show 20261120 execute', 0],
  ['statistics 20261120', 0],
  ['plan samples --target 0.85', 0],
  ['bless 20261120 --comment "release 4"', 0],
  ['compare 20261120', 0],
  ['rejudge 20261120', 0],
  ['sessions list --limit 10', 0],
  ['sessions show 20261120/execute', 0],
  ['sessions clean --older-than 7d --dry-run', 0],
  ['runs prune --older-than 90d --state failed', 0],
  ['doctor', 0],
  ['fork 20261120 --at 4', 0],
];

let project: string;
beforeAll(async () => {
  project = await finishedProject();
}, 120_000);
afterAll(() => rm(project, { recursive: true, force: true }));

test.each(OFFLINE)('tandem %s', async (line, code) => {
  expect(Object.values(EXAMPLES).flatMap((lines) => lines.map(([one]) => one))).toContain(line);
  const finished = await tandem(project, wordsOfLine(line));
  expect(finished.code, finished.stdout + finished.stderr).toBe(code);
});
