/**
 * A session of 60 turns before a person, 200 at full size: compacted again and again, and every word of theirs is still there or named where it is.
 * Its small sibling in CI: test/slow/context-session.test.ts.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSessionStore } from '../../src/app/open-store.ts';
import { view } from '../../src/context/index.ts';
import { readSession } from '../../src/run-folder/session-events.ts';
import { readConversation } from '../../src/pipeline/sessions/read-own-sessions.ts';
import { getText } from '../../src/transcript/message.ts';
import { KEYS, openTerminal } from '../support/terminal.ts';

const TURNS = process.env['TANDEM_STORMS'] === 'full' ? 200 : 60;
let project: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'tandem-session-'));
  await mkdir(join(project, 'config'), { recursive: true });
  await writeFile(
    join(project, 'config/default.yaml'),
    'version: 1\nagents: { session: { trigger: { tokens: 20000 } } }\n',
  );
});
afterAll(() => rm(project, { recursive: true, force: true }));

/** A paper that has changed goes along whole; one that is the same is only named (`unchanged_since`). */
const writePaper = (turn: number): Promise<void> =>
  writeFile(
    join(project, 'paper.md'),
    `Page ${turn}. ${'All of this is on paper, and nobody reads it twice. '.repeat(TURNS === 60 ? 100 : 25)}`,
  );

/** Every tenth message tells something that must not be lost. */
const wordOf = (turn: number): string =>
  turn % 10 === 0 ? `The code of drawer ${turn} is ${turn * 7919}.` : `look at @paper.md, page ${turn}`;

test('many turns, five compactions and more, and every fact of its person stands in the view', async () => {
  const at = await openTerminal(['session', '--budget', '500'], { cwd: project, columns: 120 });
  await at.shows('> ');
  for (let turn = 1; turn <= TURNS; turn += 1) {
    await writePaper(turn);
    at.send(`${wordOf(turn)}${KEYS.enter}`);
    await at.shows('of $500.00');
    await at.shows('> ');
  }
  at.send(KEYS.ctrlD);
  expect(await at.ended).toBe(0);
  const [folder] = await openSessionStore({ project, shipped: '' }).list();
  if (folder === undefined) throw new Error('no session');
  const now = await readSession(folder);
  expect(now.turns.map(({ end }) => end?.end)).toEqual(Array.from({ length: TURNS }, () => 'answered'));
  const entries = await readConversation(folder, now);
  const compactions = entries.filter(({ type }) => type === 'compaction');
  expect(compactions.length).toBeGreaterThanOrEqual(5);
  const shown = view(entries)
    .messages.map((message) => getText(message))
    .join('\n');
  const said = entries.flatMap((entry) =>
    entry.type === 'message' && entry.origin === 'human' && entry.item === undefined ? [entry] : [],
  );
  expect(said).toHaveLength(TURNS);
  const lost = said.filter(({ id, message }) => !shown.includes(getText(message)) && !shown.includes(`[#${id}]`));
  expect(lost.map(({ id }) => id)).toEqual([]);
  const facts = Array.from({ length: TURNS / 10 }, (_, place) => wordOf((place + 1) * 10));
  expect(facts.filter((fact) => !shown.includes(fact))).toEqual([]);
});
