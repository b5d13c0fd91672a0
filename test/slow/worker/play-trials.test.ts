/** Playing trials for whoever holds the evaluation: the same results as alone, and never more than a trial handed back. */
import { scheduleTrials } from '../../../src/worker/trial-scheduler.ts';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { App } from '../../../src/app/open-app.ts';
import { HarnessError } from '../../../src/errors.ts';
import { advance } from '../../../src/pipeline/drive/advance.ts';
import type { Deps } from '../../../src/pipeline/deps.ts';
import { stateOf } from '../../../src/pipeline/drive/drive.ts';
import { createTrialPlayer, type TrialPlayer } from '../../../src/worker/worker.ts';
import type { Job, TrialPointer } from '../../../src/ports/job-queue.ts';
import type { RunFolder } from '../../../src/ports/run-store.ts';
import { begin, decide, live, makeProject, type Project } from '../../support/project.ts';

let project: Project;
let app: App;
let notices: string[];

beforeEach(async () => {
  notices = [];
  project = await makeProject();
  app = await project.open((event) => {
    if (event.type === 'state') notices.push(event.detail);
  });
});
afterEach(async () => {
  await app.close();
  await project.remove();
});

async function approved(id: string): Promise<RunFolder> {
  const run = await begin(project, app, id);
  for (let moves = 0; moves < 2; moves += 1) await advance(id, app.deps, live);
  await decide(app, await stateOf(id, app.deps), 'approve', { run: id });
  return run;
}

/** A queue in memory, whose only worker is `player`. */
function sharedWith(player: TrialPlayer, run: RunFolder, puts: TrialPointer[] = []): Deps {
  const listeners = new Set<() => void>();
  const put = async (_run: string, trial: TrialPointer): Promise<void> => {
    puts.push(trial);
    void player
      .play(run, { run: run.id, lane: 'samples', trial }, live)
      .finally(() => listeners.forEach((tell) => tell()));
  };
  const onEnded = (tell: () => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  };
  return { ...app.deps, trials: scheduleTrials({ put, onEnded }) };
}

async function resultsOf(run: RunFolder): Promise<string> {
  const text = await readFile(join(run.dir, 'execution_outputs/iteration_1/results.json'), 'utf8');
  return text.replaceAll(/"durationMs": \d+/g, '"durationMs": 0');
}

test('an iteration whose trials others play has the results and traces of one that is made alone', async () => {
  const [alone, shared] = [await approved('alone'), await approved('shared')];
  await advance(alone.id, app.deps, live);
  const player = createTrialPlayer({ depsFor: async () => app.deps, worker: 'helper-7' });
  const puts: TrialPointer[] = [];
  const looks: Promise<string[]>[] = [];
  const deps = sharedWith(player, shared, puts);
  const onSample = deps.progress;
  deps.progress = (event) => {
    onSample(event);
    if (event.type === 'sample') looks.push(recordsOf(shared));
  };
  await advance(shared.id, deps, live);
  await player.close();
  expect(await resultsOf(shared)).toBe(await resultsOf(alone));
  expect(puts.length).toBeGreaterThan(2);
  expect((await Promise.all(looks)).join()).toContain('"worker": "helper-7"');
  const traces = (run: RunFolder) => readdir(join(run.dir, 'execution_outputs/iteration_1/traces'));
  expect(await traces(shared)).toEqual(await traces(alone));
  // Nothing was paid for twice.
  const paid = async (run: RunFolder) => (await run.spending.list()).map(({ call }) => call).toSorted();
  expect(await paid(shared)).toEqual(await paid(alone));
});

async function recordsOf(run: RunFolder): Promise<string[]> {
  const wip = join(run.dir, 'wip');
  const [attempt = ''] = await readdir(wip);
  const folder = join(wip, attempt, 'turns/trials');
  // A record that is just being written has another name, and may be gone before it can be read.
  const written = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.tmp-'));
  return Promise.all(written.map((name) => readFile(join(folder, name), 'utf8')));
}

test('a worker that cannot play hands every trial back, and whoever holds the evaluation plays them', async () => {
  const run = await approved('back');
  const depsFor = async (): Promise<Deps> => Promise.reject(new HarnessError('sandbox_unavailable', 'no walls here'));
  const player = createTrialPlayer({ depsFor, worker: 'bare' });
  await advance(run.id, sharedWith(player, run), live);
  expect(await stateOf(run.id, app.deps)).toMatchObject({ iterations: [{ iteration: 1 }] });
});

test("money is the run's own: where a helper may not spend, the run pauses as if it were alone", async () => {
  const run = await approved('poor');
  const player = createTrialPlayer({
    depsFor: async () => ({
      ...app.deps,
      model: {
        call: async () => Promise.reject(new HarnessError('budget_exceeded', 'nothing is left')),
      },
    }),
    worker: 'helper',
  });
  const deps = sharedWith(player, run);
  deps.model = {
    ...app.deps.model,
    call: async (request, signal) => {
      if (request.model.includes('haiku')) throw new HarnessError('budget_exceeded', 'nothing is left');
      return app.deps.model.call(request, signal);
    },
  };
  await advance(run.id, deps, live);
  expect(await stateOf(run.id, app.deps)).toMatchObject({ status: 'paused', pause: { reason: 'budget' } });
  expect(notices.join()).toContain('is handed back: nothing is left');
});

test('a job of an attempt that is over, or that is no pointer at all, does nothing', async () => {
  const run = await approved('over');
  const player = createTrialPlayer({ depsFor: async () => app.deps, worker: 'late' });
  const pointers: unknown[] = [
    { attempt: 'execute.i1@gone', sample: 'a', trial: 1 },
    { attempt: '../../etc', sample: 'a', trial: 1 },
    { attempt: 'execute.i1@x', sample: '../a', trial: 1 },
    undefined,
  ];
  for (const trial of pointers) await player.play(run, { run: run.id, lane: 'samples', trial } as Job, live);
  await player.close();
  expect(await readdir(join(run.dir, 'wip')).catch(() => [])).toEqual([]);
});
