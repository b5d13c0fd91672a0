/** A session whose process is killed at any moment, again and again: nothing is lost, and nothing is paid twice. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSimulator, type Simulator } from '../../src/adapters/simulated/start.ts';
import { openSessionStore } from '../../src/app/open-store.ts';
import { openLiveSession } from '../../src/pipeline/session/live-session.ts';
import { readSession } from '../../src/run-folder/session-events.ts';
import { readConversation } from '../../src/pipeline/sessions/read-own-sessions.ts';
import { getText } from '../../src/transcript/message.ts';
import { lastJson, makeProject, start, tandem } from '../support/cli.ts';

const KILLS = process.env['TANDEM_STORMS'] === 'full' ? 20 : 4;
const WISH = 'Please write a note';
const DONE = 'Done: `workspace/note.md` has two lines.';

let simulator: Simulator;
let project: string;
/** Resolves at the next request for a message. */
let arrived = Promise.withResolvers<void>();
beforeAll(async () => {
  simulator = await startSimulator({
    simulationDir: 'agents/session/simulation',
    latencyMs: 50,
    onRequest: ({ path }) => {
      if (path === '/v1/messages') arrived.resolve();
    },
  });
  project = await makeProject();
});
afterAll(async () => {
  await simulator.close();
  await rm(project, { recursive: true, force: true });
});

const env = () => ({ ANTHROPIC_BASE_URL: simulator.url, ANTHROPIC_API_KEY: 'any', USER: 'ada' });
const say = (session: string, text: string) => ['session', '--resume', session, '-p', text, '--json'];

test('every turn ends as it would have, and every answer is paid for once', async () => {
  const earlier = simulator.requests.length;
  const first = lastJson(await tandem(project, ['session', '-p', 'hello', '--json'], env()));
  const id = String(first['session']);
  const store = openSessionStore({ project, shipped: '' });
  const folder = await store.find(id);
  if (folder === undefined) throw new Error(`no session ${id}`);
  for (let kill = 0; kill < KILLS; kill += 1) {
    arrived = Promise.withResolvers();
    const child = start(project, say(id, WISH), env());
    // From the first call on at any moment of what follows; the delay decides where, and nothing that is held depends on it.
    await arrived.promise;
    await new Promise((over) => setTimeout(over, Math.random() * 400));
    child.kill('SIGKILL');
    await child.done;
  }
  const end = await tandem(project, say(id, 'make a plan'), env());
  expect(lastJson(end)).toMatchObject({ end: 'answered', text: 'Two points: one is done, one is open.' });

  const { turns, open } = await readSession(folder);
  expect(open).toBeUndefined();
  expect(turns.map(({ end: ended }) => ended?.end)).toEqual(turns.map(() => 'answered'));
  // Each start ends the turn that was cut off before it says its own; a kill may come before that.
  const wishes = turns.slice(1, -1).map(({ text }) => text);
  expect(wishes.length).toBeGreaterThan(0);
  expect([turns[0]?.text, ...wishes.filter((text) => text !== WISH), turns.at(-1)?.text]).toEqual([
    'hello',
    'make a plan',
  ]);
  const entries = await readConversation(folder);
  const answers = entries.flatMap((entry) => {
    if (entry.type !== 'message' || entry.origin !== 'model') return [];
    return entry.response?.stopReason === 'end_turn' ? [getText(entry.message)] : [];
  });
  expect(answers.slice(1, -1)).toEqual(wishes.map(() => DONE));
  expect(await readFile(join(folder.dir, 'workspace/note.md'), 'utf8')).toContain('Written offline.');
  expect(await readdir(join(folder.dir, 'wip'))).toEqual([]);

  const books = await folder.spending.list();
  // A call that was under way at a kill may be made once more, and then its first try counts as uncertain.
  expect(books.filter(({ answers: count }) => count !== 1)).toEqual([]);
  expect(books.reduce((sum, { failed }) => sum + failed, 0)).toBeLessThanOrEqual(KILLS);
  expect(books.every(({ reservedUsd }) => reservedUsd === 0)).toBe(true);
  const served = simulator.requests
    .slice(earlier)
    .filter(({ path, status }) => path === '/v1/messages' && status === 200);
  const tries = books.reduce((sum, { answers: count, failed }) => sum + count + failed, 0);
  expect(served.length).toBeLessThanOrEqual(tries);
});

test('two processes do not have one session', async () => {
  const { session } = lastJson(await tandem(project, ['session', '-p', 'hello', '--json'], env()));
  const folder = await openSessionStore({ project, shipped: '' }).find(String(session));
  if (folder === undefined) throw new Error(`no session ${String(session)}`);
  const held = await openLiveSession({ folder, deps: {} as never }, 'user:ada');
  const other = await tandem(project, say(String(session), 'hello'), env());
  await held.close();
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('is open in another process')]);
  expect((await tandem(project, say(String(session), 'hello'), env())).code).toBe(0);
});
