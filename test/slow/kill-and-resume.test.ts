/** `kill -9` at moments of chance, ten times over, then `resume`: the verdict of the undisturbed run, and an unbroken chain. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { finishedProject, lastJson, makeProject, start, tandem } from '../support/cli.ts';

const KILLS = 10;
const SEED = 20_261_120;

/** Small and seeded, so that a failure can be had again. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test(`ten kills at random moments (seed ${SEED}), then the same verdict as undisturbed`, async () => {
  const random = chance(SEED);
  const calm = await finishedProject();
  const text = await readFile(join(calm, 'finished.json'), 'utf8');
  const undisturbed = JSON.parse(text) as Record<string, unknown>;

  const project = await makeProject('refund-desk');
  const id = 'killed-ten-times';
  let args = ['run', 'refund-desk', '--profile', 'demo', '--id', id];
  let kills = 0;
  while (kills < KILLS) {
    const child = start(project, args);
    // From its first word on: how long it takes to begin is the machine's business, and nothing to be killed in.
    const afterMs = random() * 900;
    child.stderr?.once('data', () => setTimeout(() => child.kill('SIGKILL'), afterMs));
    const { signal, code } = await child.done;
    if (signal !== 'SIGKILL') throw new Error(`Only ${kills} kills before the run ended with ${code}.`);
    kills += 1;
    // Before the first event there is nothing to resume.
    const events = await readdir(join(project, 'scenarios/refund-desk/runs', id, 'events')).catch(() => []);
    if (events.some((name) => /^\d+\.json$/.test(name))) args = ['resume', id, '--profile', 'demo'];
    else args = ['run', 'refund-desk', '--profile', 'demo', '--id', id];
  }
  const finished = await tandem(project, ['resume', id, '--profile', 'demo', '--json']);
  const result = lastJson(finished);
  const verdict = ['status', 'rounds', 'iterations', 'successRate', 'target', 'compactions'] as const;
  for (const key of verdict) expect(result[key], key).toEqual(undisturbed[key]);
  expect(finished.code).toBe(0);

  const store = openFileRunStore({
    roots: [join(project, 'scenarios')],
    clock: { now: () => new Date(0) },
    worker: 'test',
  });
  const run = await store.open(id);
  const events = await run.journal.read();
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index));
  const once = (type: string, key: string): void => {
    const values = events.flatMap((event) =>
      event.body.type === type ? [JSON.stringify((event.body as Record<string, unknown>)[key])] : [],
    );
    expect(new Set(values).size, `${type} twice for one ${key}`).toBe(values.length);
  };
  once('gate.decided', 'gate');
  once('design.done', 'round');
  once('iteration.done', 'iteration');

  // Every step is committed whole, and the transcripts are those of the undisturbed run.
  for (const target of ['design/r1', 'design/r2', 'execution_outputs/iteration_1', 'execution_outputs/iteration_3']) {
    expect(await run.artifacts.committed(target, true), target).toBeDefined();
  }
  const calmRun = await openFileRunStore({
    roots: [join(calm, 'scenarios')],
    clock: { now: () => new Date(0) },
    worker: 'test',
  }).open(String(undisturbed['run']));
  for (const agent of ['init', 'execute']) {
    const [mine, theirs] = [await run.transcripts.read(agent), await calmRun.transcripts.read(agent)];
    expect(mine.map((entry) => entry.type)).toEqual(theirs.map((entry) => entry.type));
  }
  // The calls paid for twice are those in flight when killed: at most one per kill and per sample in parallel.
  const extra = Number(result['modelCalls']) - Number(undisturbed['modelCalls']);
  expect(extra).toBeLessThanOrEqual(KILLS * 4);
  expect(await readFile(join(run.dir, 'out/summary.md'), 'utf8')).toContain('Target met');
}, 600_000);
