/** Sessions and runs on disk for tests about conversations: a test names only what it is about. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import type { ReadDeps, RunFolder } from '../../src/ports/run-store.ts';
import type { SessionState } from '../../src/run/session.ts';
import type { Entry } from '../../src/transcript/entry.ts';
import { created, decided, designDone, paused, started, type Happened } from './run-events.ts';

export function sessionState(more: Partial<SessionState> = {}): SessionState {
  return {
    ...{ id: 'run-1/init', run: 'run-1', scenario: 'refund-desk', agent: 'init' },
    ...{ status: 'gated', runStatus: 'awaiting_approval', lastAt: '2026-11-20T10:00:00.000Z' },
    messages: { total: 36, inView: 17, human: 0, harness: 1, model: 18, tools: 17, reminder: 0 },
    ...{ images: [], todos: [], activeSkill: null, allowedTools: ['read'], persistentTools: ['recall'], mentions: [] },
    ...{ contextId: 'main', parentContext: null, loops: 18, maxLoops: 120, model: 'claude-opus-5-5' },
    modelPreference: null,
    ...{ threadId: 'run-1/init', userId: 'user:ada', workspace: 'design/r1', uploads: [] },
    ...{ calls: 18, compactions: 1, tokens: { input: 1000, cacheRead: 800, output: 50 }, costUsd: 0.34 },
    ...more,
  };
}

export const LIFE = {
  live: () => [created(), started()],
  gated: () => [created(), started(), designDone(1)],
  done: () => [created(), started(), designDone(1), decided(1, 'reject')],
  stopped: () => [created(), started(), paused()],
} satisfies Record<string, () => Happened[]>;

/** A project's runs, with a clock that the test sets. */
export function runsIn(project: string, start = '2026-11-20T10:00:00.000Z') {
  const time = { now: new Date(start) };
  const clock = { now: () => time.now };
  const store = openFileRunStore({ roots: [join(project, 'scenarios')], clock, worker: 'w' });
  const deps: ReadDeps = { store, clock, progress: () => undefined };
  const scenarioDir = join(project, 'scenarios/refund-desk');
  const make = async (id: string, events: readonly Happened[]): Promise<RunFolder> => {
    await mkdir(scenarioDir, { recursive: true });
    const run = await store.create(scenarioDir, id);
    for (const [seq, { body, actor }] of events.entries()) await run.journal.append(body, actor, seq);
    return run;
  };
  return { deps, make, at: (iso: string) => void (time.now = new Date(iso)) };
}

export async function put(run: RunFolder, path: string, content: string): Promise<void> {
  await mkdir(dirname(join(run.dir, path)), { recursive: true });
  await writeFile(join(run.dir, path), content);
}

/** Entries from what is said: `{human: 'text'}`, `{model: 'text'}`, in one lane and step. */
export function talk(
  lines: readonly Partial<Record<'human' | 'harness' | 'model', string>>[],
  step = 'design.r1',
): Entry[] {
  return lines.map((line, index): Entry => {
    const [said] = Object.entries(line) as ['human' | 'harness' | 'model', string][];
    const [origin, text] = said ?? ['human', ''];
    return {
      ...{ version: 1, id: `e${index + 1}`, parents: index === 0 ? [] : [`e${index}`], lane: 'main', step },
      ...{ type: 'message', origin },
      message: { role: origin === 'model' ? 'assistant' : 'user', content: [{ type: 'text', text }] },
    };
  });
}
