/** Carrying runs on from a queue: lanes, reconciling, and what is left alone. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createInProcessQueue } from '../../src/adapters/in-process/in-process-queue.ts';
import { HarnessError } from '../../src/errors.ts';
import type { Deps } from '../../src/pipeline/deps.ts';
import { runWorker, giveUpJob, type WorkerDeps, createTrialPlayer } from '../../src/worker/worker.ts';
import { createReconciler, reconcile } from '../../src/worker/reconcile.ts';
import { handOver } from '../../src/run-folder/hand-over.ts';
import type { HandedBack, Job, JobQueue, NextLane } from '../../src/ports/job-queue.ts';
import type { RunFolder } from '../../src/ports/run-store.ts';
import { eventHash } from '../../src/adapters/files/file-journal.ts';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import { scratch, tickingClock } from '../support/scratch.ts';
import { MACHINE_VERSION } from '../../src/run/event.ts';
import { created, decided, designDone, started } from '../support/run-events.ts';
import { join } from 'node:path';
import { mkdir, readdir, writeFile } from 'node:fs/promises';

let dir: string;
let woken: Job[];
let notices: string[];
let deps: WorkerDeps;
const noDeps = vi.fn(async (): Promise<Deps> => Promise.reject(new HarnessError('usage', 'no model here')));

beforeEach(async () => {
  dir = await scratch();
  await mkdir(join(dir, 'scenarios/desk'), { recursive: true });
  [woken, notices] = [[], []];
  noDeps.mockClear();
  const clock = tickingClock();
  const queue: JobQueue = { ...createInProcessQueue(), wake: async (job) => void woken.push(job) };
  deps = {
    store: openFileRunStore({ roots: [join(dir, 'scenarios')], clock, worker: 'test' }),
    clock,
    progress: (event) => void notices.push(event.type === 'state' ? event.detail : event.type),
    queue,
    lanes: ['init', 'execute'],
    name: 'test',
    depsFor: noDeps,
    trials: createTrialPlayer({ depsFor: noDeps, worker: 'test' }),
  };
});
afterEach(() => deps.queue.close());

type Told = { body: Parameters<RunFolder['journal']['append']>[0]; actor: string };

async function runWith(id: string, ...story: Told[]): Promise<RunFolder> {
  const run = await deps.store.create(join(dir, 'scenarios/desk'), id);
  for (const [length, { body, actor }] of story.entries()) await run.journal.append(body, actor, length);
  return run;
}

/** What the handler does with one job, outside of any queue. */
async function handle(job: Job): Promise<HandedBack | void> {
  let handler: Parameters<JobQueue['work']>[0] | undefined;
  await runWorker({ ...deps, queue: { ...deps.queue, work: async (given) => void (handler = given) } });
  return handler?.(job, new AbortController().signal);
}

describe('a job', () => {
  test('of a run that this worker would carry on with something else is left to others, and told of once', async () => {
    await runWith('a', created());
    noDeps.mockImplementation(async () => Promise.reject(new HarnessError('version_mismatch', 'begun otherwise')));
    let handler: Parameters<JobQueue['work']>[0] | undefined;
    await runWorker({ ...deps, queue: { ...deps.queue, work: async (given) => void (handler = given) } });
    for (let again = 0; again < 3; again += 1)
      await handler?.({ run: 'a', lane: 'init' }, new AbortController().signal);
    expect(notices).toEqual(['Run a is given back: begun otherwise']);
    expect(woken).toEqual([]);
    noDeps.mockImplementation(async () => Promise.reject(new HarnessError('usage', 'no model here')));
  });

  test('of another lane than the run is in now goes to that lane, and nothing is opened for it', async () => {
    await runWith('a', created(), started(), designDone(1), decided(1, 'approve'));
    await handle({ run: 'a', lane: 'init' });
    expect(woken).toEqual([{ run: 'a', lane: 'execute' }]);
    expect(noDeps).not.toHaveBeenCalled();
  });

  test('of another model than the run was begun with goes to the lane of that model', async () => {
    await runWith('a', created(), started());
    await handOver('a', { ...deps, laneModels: { init: 'p/opus', execute: 'p/sonnet' } });
    expect(woken).toEqual([{ run: 'a', lane: 'init', model: 'p/opus' }]);
    await handle({ run: 'a', lane: 'init' });
    await handle({ run: 'a', lane: 'init', model: 'p/other' });
    const there = { run: 'a', lane: 'init', model: 'p/opus' };
    expect(woken).toEqual([there, there, there]);
    expect(noDeps).not.toHaveBeenCalled();
  });

  test('of a run that waits for a person does nothing', async () => {
    await runWith('a', created(), started(), designDone(1));
    await handle({ run: 'a', lane: 'init' });
    expect(woken).toEqual([]);
    expect(noDeps).not.toHaveBeenCalled();
  });

  test('of a run that is not here is given back with the reason', async () => {
    const back = await handle({ run: 'elsewhere', lane: 'init' });
    expect(back).toMatchObject({ worker: 'test', why: expect.stringMatching(/does not see.*space=/) });
    expect(notices.join()).toContain('elsewhere is given back');
  });

  test('of a run in which a newer version has written is given back, and nothing of the run is changed', async () => {
    const run = await runWith('a', created(), started());
    const { hash: prev } = (await run.journal.read()).at(-1) ?? { hash: '' };
    const unsigned = {
      seq: 2,
      prev,
      ts: '2026-11-20T10:00:00.000Z',
      actor: 'user:ada',
      body: { type: 'run.of_tomorrow' },
    };
    const hash = eventHash(unsigned);
    await writeFile(join(run.dir, 'events/000002.json'), JSON.stringify({ ...unsigned, hash }));
    expect(await handle({ run: 'a', lane: 'init' })).toMatchObject({ worker: 'test', isOlder: true });
    expect(notices.join()).toContain('Run a is given back: ');
    expect(noDeps).not.toHaveBeenCalled();
    expect(await readdir(join(run.dir, 'events'))).toHaveLength(3);
  });

  test('of a run that a newer version has begun is given back, so that workers of that version get it', async () => {
    await runWith('a', created({}, { machineVersion: MACHINE_VERSION + 1 }));
    const why = expect.stringContaining('made by a newer Tandem') as string;
    expect(await handle({ run: 'a', lane: 'init' })).toEqual({ worker: 'test', why, isOlder: true });
  });

  test('of a run for which this machine lacks something is given back, and nothing is opened for it', async () => {
    await runWith('a', created(), started());
    deps = { ...deps, lacks: async () => 'it has no bubblewrap.' };
    expect(await handle({ run: 'a', lane: 'init' })).toEqual({ worker: 'test', why: 'it has no bubblewrap.' });
    expect(noDeps).not.toHaveBeenCalled();
  });

  test('that is given up becomes part of the run, once', async () => {
    const run = await runWith('a', created(), started());
    await giveUpJob({ run: 'a' }, new HarnessError('model_unavailable', '529 for hours'), deps);
    await giveUpJob({ run: 'a' }, new HarnessError('model_unavailable', '529 for hours'), deps);
    const bodies = (await run.journal.read()).map(({ body }) => body);
    expect(bodies.at(-1)).toMatchObject({
      type: 'run.paused',
      reason: 'provider',
      detail: expect.stringMatching(/529 for hours.*go on later/),
    });
    expect(bodies).toHaveLength(3);
  });

  test('that is given up for another reason fails the step, once', async () => {
    const run = await runWith('a', created(), started());
    await giveUpJob({ run: 'a' }, new HarnessError('infrastructure', 'the disk is full'), deps);
    await giveUpJob({ run: 'a' }, new HarnessError('infrastructure', 'the disk is full'), deps);
    const bodies = (await run.journal.read()).map(({ body }) => body);
    expect(bodies.at(-1)).toMatchObject({
      type: 'step.failed',
      step: 'design.r1',
      code: 'infrastructure',
      final: true,
    });
    expect(bodies).toHaveLength(3);
  });
});

describe('reconciling', () => {
  test('wakes each run that was handed over and has something to do, in its lane, and no other', async () => {
    const stories: Record<string, Told[]> = {
      fresh: [created()],
      designing: [created(), started()],
      gated: [created(), started(), designDone(1)],
      executing: [created(), started(), designDone(1), decided(1, 'approve')],
      rejected: [created(), started(), designDone(1), decided(1, 'reject')],
    };
    for (const [id, story] of Object.entries(stories)) await runWith(id, ...story);
    await runWith('somebody-elses', created(), started());
    for (const id of Object.keys(stories)) await handOver(id, deps);
    woken.length = 0;
    await createReconciler(deps).pass();
    expect(woken.toSorted((one, other) => one.run.localeCompare(other.run))).toEqual([
      { run: 'designing', lane: 'init' },
      { run: 'executing', lane: 'execute' },
      { run: 'fresh', lane: 'init' },
    ]);
  });

  test('of a process without workers wakes its own runs and leaves handed-over ones to workers', async () => {
    for (const id of ['own', 'theirs']) await runWith(id, created(), started());
    await handOver('theirs', deps);
    expect(await reconcile({ ...deps, handedOver: false })).toEqual(['own']);
    expect(await reconcile(deps)).toEqual(['theirs']);
  });

  test('tells of each lane in which a run waits, so that a worker serves models that others have begun with', async () => {
    await runWith('old', created(), started());
    await runWith('other', created(), started(), designDone(1), decided(1, 'approve'));
    await handOver('old', deps);
    await handOver('other', { ...deps, laneModels: { init: 'p/opus', execute: 'p/sonnet' } });
    const served: NextLane[] = [];
    await createReconciler({ ...deps, serve: (next) => served.push(next) }).pass();
    expect(served).toContainEqual({ lane: 'init' });
    expect(served).toContainEqual({ lane: 'execute', model: 'p/sonnet' });
    // Whoever hands it over again does not change what it was begun with.
    await handOver('other', { ...deps, laneModels: { init: 'p/x', execute: 'p/x' } });
    expect(woken.at(-1)).toEqual({ run: 'other', lane: 'execute', model: 'p/sonnet' });
  });

  test('finds a decision that nobody was woken for', async () => {
    const run = await runWith('a', created(), started(), designDone(1));
    await handOver('a', deps);
    const reconciler = createReconciler(deps);
    expect(await reconciler.pass()).toEqual([]);
    const { body, actor } = decided(1, 'approve');
    await run.journal.append(body, actor, 3);
    expect(await reconciler.pass()).toEqual(['a']);
  });

  test('leaves a run alone that cannot be read, says which, and goes on with the others', async () => {
    const broken = await runWith('broken', created(), started());
    await runWith('sound', created(), started());
    for (const id of ['broken', 'sound']) await handOver(id, deps);
    const { writeFile } = await import('node:fs/promises');
    await writeFile(join(broken.dir, 'events/000001.json'), '{}');
    expect(await createReconciler(deps).pass()).toEqual(['sound']);
    expect(notices.join()).toContain('broken');
  });

  test('wakes a run again at every pass until it rests: the queue may have forgotten it', async () => {
    await runWith('a', created(), started());
    await handOver('a', deps);
    const reconciler = createReconciler(deps);
    expect([await reconciler.pass(), await reconciler.pass()]).toEqual([['a'], ['a']]);
  });
});
