/** Pause, cancel, fork and verify, on whole runs of the template scenario. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { App } from '../../src/app/open-app.ts';
import { advance } from '../../src/pipeline/drive/advance.ts';
import { giveOrder } from '../../src/pipeline/control/stop-order.ts';
import { forkRun } from '../../src/pipeline/control/fork.ts';
import { verifyRun } from '../../src/pipeline/control/verify.ts';
import { watchRun } from '../../src/pipeline/drive/begin-step.ts';
import { refuseDamagedTranscripts } from '../../src/run-folder/snapshot.ts';
import { stateOf } from '../../src/pipeline/drive/drive.ts';
import type { RunFolder } from '../../src/ports/run-store.ts';
import { approveAll, begin, live, makeProject, type Project } from '../support/project.ts';

let project: Project;
let app: App;
/** One run that has ended, for all that only look at it or begin from it. */
let ended: RunFolder;

beforeAll(async () => {
  project = await makeProject();
  app = await project.open();
  ended = await begin(project, app, 'ended');
  await approveAll(app, ended.id);
}, 60_000);
afterAll(async () => {
  await app.close();
  await project.remove();
});

const PAUSE = { type: 'run.paused', reason: 'user', detail: 'lunch' } as const;
const CANCEL = { type: 'run.cancelled', detail: 'wrong desk' } as const;
const order = (run: RunFolder, what: typeof PAUSE | typeof CANCEL) =>
  giveOrder(run.id, { order: what, actor: 'user:ada' }, app.deps);

describe('an order from another process', () => {
  test('to pause stops the run where it is, and it goes on from there', async () => {
    const run = await begin(project, app, 'paused');
    await advance(run.id, app.deps, live);
    expect((await order(run, PAUSE)).after).toMatchObject({ status: 'paused', prev: { status: 'designing' } });
    expect(await advance(run.id, app.deps, live)).toMatchObject({ type: 'wait', for: 'resume' });
    await run.journal.append({ type: 'run.resumed' }, 'user:ada', 3);
    expect(await stateOf(run.id, app.deps)).toMatchObject({ status: 'designing', round: 1 });
  });

  test('given by several at once is one event', async () => {
    const run = await begin(project, app, 'ordered');
    await Promise.all([order(run, CANCEL), order(run, CANCEL), order(run, CANCEL)]);
    await order(run, CANCEL);
    expect((await run.journal.read()).map(({ body }) => body.type)).toEqual(['run.created', 'run.cancelled']);
  });

  test('is refused for a run that has ended, and the refusal says what to do', async () => {
    await expect(order(ended, PAUSE)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('tandem fork'),
    });
  });
});

describe('watching a run while a step is made', () => {
  test('stops the step when another thing is to be done, and for nothing less', async () => {
    const run = await begin(project, app, 'watched');
    await run.journal.append({ type: 'run.started' }, 'worker:a', 1);
    const state = await stateOf(run.id, app.deps);
    const watch = watchRun(run, state, { signal: live, everyMs: 10 });
    const failed = {
      type: 'step.failed',
      step: 'design.r1',
      code: 'x',
      message: 'a try of another worker',
      final: false,
    } as const;
    await run.journal.append(failed, 'worker:b', 2);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(watch.signal.aborted).toBe(false);
    const aborted = new Promise((resolve) => watch.signal.addEventListener('abort', resolve, { once: true }));
    await order(run, CANCEL);
    await aborted;
    expect(watch.movedTo()).toMatchObject({ status: 'cancelled' });
    watch.stop();
  });

  test('passes the signal of the caller on', async () => {
    const outer = new AbortController();
    const watch = watchRun(ended, await stateOf(ended.id, app.deps), outer);
    outer.abort(new Error('stopped'));
    expect(watch.signal.reason).toMatchObject({ message: 'stopped' });
    expect(watch.movedTo()).toBeUndefined();
    watch.stop();
  });
});

/** The number of the event that ended iteration 1 (`0`), or 2, with which the run ended (`1`). */
async function lastIteration(index: number): Promise<number> {
  const events = await ended.journal.read();
  return events.filter(({ body }) => body.type === 'iteration.done')[index]?.seq ?? -1;
}

describe('a fork', () => {
  const fork = (id: string, at?: number) =>
    forkRun(
      ended,
      {
        actor: 'user:ada',
        id,
        scenarioDir: join(project.dir, 'scenarios/small-desk'),
        ...(at === undefined ? {} : { at }),
      },
      app.deps,
    );

  test('after the approval goes on by itself, to the same verdict, and leaves the first run alone', async () => {
    const before = await ended.journal.read();
    const { run: forked, state } = await fork('approved', 3);
    expect(state).toMatchObject({ status: 'executing', iteration: 1, startedBy: 'user:ada' });
    expect(state.origin.forkedFrom).toMatchObject({ run: 'ended', seq: 3 });
    expect(await approveAll(app, forked.id)).toMatchObject({ status: 'succeeded', iteration: 2 });
    expect(await ended.journal.read()).toEqual(before);
    expect((await verifyRun(forked)).filter(({ ok }) => !ok)).toEqual([]);
  });

  test('at a gate waits there for a decision of its own, and keeps what Init remembers', async () => {
    const { run: forked, state } = await fork('gated', 2);
    expect(state).toMatchObject({ status: 'awaiting_approval', gate: { id: 'HITL-1.r1' } });
    expect(await forked.transcripts.read('init')).toEqual(await ended.transcripts.read('init'));
    expect(await forked.transcripts.calls('init')).toEqual(
      (await ended.transcripts.calls('init')).filter(({ step }) => step === 'design.r1'),
    );
    expect(await forked.transcripts.calls('init')).not.toEqual([]);
    expect(await forked.transcripts.read('execute')).toEqual([]);
    await expect(readFile(join(forked.dir, 'execution_outputs/iteration_1/results.json'))).rejects.toThrow();
  });

  test('of an ended run begins after its last event that left something to do', async () => {
    const { at, state } = await fork('latest');
    expect({ at, status: state.status, iteration: state.iteration }).toEqual({
      at: await lastIteration(0),
      status: 'executing',
      iteration: 2,
    });
  });

  test.each([-1, 99, 1.5, 'its last one'])('at event %s is refused, and nothing is made', async (at) => {
    await expect(fork('never', typeof at === 'number' ? at : await lastIteration(1))).rejects.toMatchObject({
      code: 'usage',
    });
    expect((await app.deps.store.list()).map(({ id }) => id)).not.toContain('never');
  });
});

describe('verify', () => {
  const broken = async (run: RunFolder) => (await verifyRun(run)).filter(({ ok }) => !ok).map(({ what }) => what);
  const change = async (run: RunFolder, path: string, from: string, to: string): Promise<void> => {
    const text = await readFile(join(run.dir, path), 'utf8');
    expect(text).toContain(from);
    await writeFile(join(run.dir, path), text.replace(from, to));
  };

  const copyOf = async (id: string): Promise<RunFolder> => {
    const dir = join(project.dir, 'scenarios/small-desk/runs', id);
    await cp(ended.dir, dir, { recursive: true });
    return app.deps.store.open(dir);
  };

  test('finds nothing in a run as it was written, and each thing that was changed afterwards', async () => {
    const run = await copyOf('changed');
    expect(await broken(run)).toEqual([]);
    await change(run, 'design/r1/business_rules.yaml', 'Look first', 'Look last');
    await change(run, 'gates/HITL-1.r1/pack.json', 'small-desk', 'other-desk');
    await change(run, 'execution_outputs/iteration_2/results.json', '"passed": 3', '"passed": 4');
    await change(run, 'scenario/brief.md', '\n', '\n\n');
    expect(await broken(run)).toEqual(['scenario', 'design/r1', 'gates/HITL-1.r1', 'execution_outputs/iteration_2']);
    await change(run, 'events/000002.json', '"rules": 3', '"rules": 4');
    expect(await broken(run)).toEqual(['events']);
  });

  const lines = async (run: RunFolder, path: string): Promise<string[]> =>
    (await readFile(join(run.dir, path), 'utf8')).split('\n');

  test.each([
    ['deleted', async (run: RunFolder, path: string) => rm(join(run.dir, path))],
    [
      'cut by three lines',
      async (run: RunFolder, path: string) =>
        writeFile(join(run.dir, path), `${(await lines(run, path)).slice(0, -4).join('\n')}\n`),
    ],
    ['with other words', (run: RunFolder, path: string) => change(run, path, 'design of round', 'plan of round')],
  ])('finds a conversation that was %s, and it is not gone on from', async (how, damage) => {
    const run = await copyOf(`said-${how.replaceAll(' ', '-')}`);
    await damage(run, 'transcripts/execute.jsonl');
    expect(await broken(run)).toEqual(['transcripts/execute']);
    await expect(refuseDamagedTranscripts(run, await run.journal.read())).rejects.toMatchObject({
      code: 'data_corrupt',
      message: expect.stringContaining('transcripts/execute.jsonl'),
    });
  });

  test('finds a hand-off that was changed', async () => {
    const run = await copyOf('handed');
    await change(run, 'handoffs/001-init-to-execute.md', '"kind": "handoff"', '"kind": "other"');
    expect(await broken(run)).toEqual(['handoffs']);
  });

  test('finds an event that is whole but stands in the place of another', async () => {
    const run = await copyOf('moved');
    await cp(join(run.dir, 'events/000004.json'), join(run.dir, 'events/000003.json'));
    expect(await broken(run)).toEqual(['events']);
  });
});
