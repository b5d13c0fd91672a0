/** The shared queue of a plugin: the plugin stores the items and their holders, and this file does all the work on them. */
import { setTimeout as delay } from 'node:timers/promises';
import { usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { HandedBack, HandleJob, Job, Lane } from '../../ports/job-queue.ts';
import type { HeldItem, QueueItems } from '../../ports/plugins/plugins.ts';
import type { SharedQueue } from '../bullmq/bullmq-queue.ts';
import { laneName } from '../bullmq/lanes.ts';
import { computeJobOrder } from '../bullmq/job-order.ts';
import { createQueueSignals } from '../bullmq/queue-signals.ts';
import { optionsOfTrial } from '../bullmq/trial-lane.ts';
import { guardItems } from './guarded-items.ts';
import { holdItem } from './hold-item.ts';
import { takeItems } from './take-items.ts';
import { tryJob, type JobTries } from './try-job.ts';

export type PluginQueueOptions = Omit<JobTries, 'work' | 'starts'> & {
  items: QueueItems;
  /** The name of the queue in messages. */
  shown: string;
  /** Wraps a thrown value in an error that names the plugin and its location. */
  fault: (error: unknown) => Error;
  /** The lanes without a model whose items `work` takes; `wake` works for any lane. */
  lanes: readonly Lane[];
  concurrency: Readonly<Record<Lane, number>>;
  /** How long an item is held without a heartbeat. */
  holdMs: number;
  onGaveUp: (job: Job, error: unknown) => Promise<void>;
  onNotice: (detail: string) => void;
};

const STEPS: readonly Lane[] = ['init', 'execute'];
const SAMPLES: readonly Lane[] = ['samples'];
const IDLE_POLL_MS = 25;
/** The pause before a step that was given back is offered again. */
const REST_MS = 1_000;

// oxlint-disable-next-line max-lines-per-function -- one state machine; its parts are named closures over it
export function openPluginQueue(options: PluginQueueOptions): SharedQueue {
  const { shown, concurrency, onNotice } = options;
  const closing = new AbortController();
  const items = guardItems(options);
  /** By the name of the lane. */
  const served = new Map<string, { lane: Lane; model?: string | undefined }>();
  const handedBack = new Map<string, HandedBack[]>();
  const signs = createQueueSignals(() =>
    [...STEPS, ...SAMPLES].map((lane) => [lane, toCountedQueue(items, lane)] as const),
  );
  let handle: HandleJob | undefined;
  let failure: { error: unknown } | undefined;

  const wake = async (job: Job): Promise<void> => {
    if (closing.signal.aborted) return;
    await items.put(toItem(job));
    takers.nudge();
  };

  const giveUp = async (job: Job, error: unknown): Promise<void> => {
    failure ??= { error };
    await options.onGaveUp(job, error);
  };

  /** Resolves when this process does not hold the item any more. */
  const perform = async (held: HeldItem, work: HandleJob): Promise<void> => {
    const { lane = 'init', model } = served.get(held.lane) ?? {};
    const job = toJob(held, { lane, model });
    const hold = holdItem(items, held.hold, {
      holdMs: options.holdMs,
      stopping: closing.signal,
      alive: () => signs.alive(),
    });
    signs.started(lane);
    let how: 'done' | 'failed' = 'failed';
    try {
      const end = await tryJob(job, { ...options, work, starts: held.starts }, hold.signal);
      if (end !== 'given back') handedBack.delete(job.run);
      else await delay(REST_MS, undefined, { signal: hold.signal });
      if (end === 'given back') await items.put(toItem(job));
      await items.done(held.hold);
      how = 'done';
    } catch (error) {
      // A stopping process is no failure: the next worker takes the item at once.
      if (closing.signal.aborted) await items.put(toItem(job)).then(() => items.done(held.hold));
      else if (!hold.signal.aborted) {
        await giveUp(job, error);
        await items.done(held.hold);
      }
    } finally {
      hold.end();
      signs.ended(lane, how);
    }
  };

  /** Steps that this process gave back, for observers in the same process. */
  const remembering =
    (work: HandleJob): HandleJob =>
    async (job, signal) => {
      const back = await work(job, signal);
      const others = (handedBack.get(job.run) ?? []).filter(({ worker }) => worker !== back?.worker);
      if (back !== undefined) handedBack.set(job.run, [...others, back]);
      return back;
    };

  const takers = takeItems({
    items,
    ...{ concurrency, holdMs: options.holdMs, onNotice },
    placesOf: (lane) => [...served].flatMap(([name, one]) => (one.lane === lane ? [name] : [])),
    perform: (held) => (handle === undefined ? Promise.resolve() : perform(held, handle)),
  });

  const serve = (lane: Lane, model?: string): void => {
    served.set(laneName(lane, model), omitUndefined({ lane, model }));
    if (handle !== undefined && !closing.signal.aborted) takers.serve(lane);
  };

  return {
    signs,
    serve,
    wake,
    handedBack: { of: async (run) => handedBack.get(run) ?? [], forget: async (run) => void handedBack.delete(run) },
    locateRun: async (run, { lane, model }) => {
      const name = laneName(lane, model);
      const found = (await items.list()).find((item) => item.lane === name && item.key === run);
      const state = found === undefined ? 'absent' : found.isHeld ? 'active' : 'waiting';
      return { state, handedBack: handedBack.get(run) ?? [] };
    },
    // No event reports the end of a trial; the holder looks at the disk.
    trials: {
      put: (run, trial, turn = {}) => wake({ run, lane: 'samples', trial, turn }),
      onEnded: () => () => undefined,
    },
    schedules: noSchedules(shown),
    work: async (handler) => {
      if (handle !== undefined) throw usageError('This queue is being worked on already: create another one.');
      if (closing.signal.aborted) throw usageError('This queue is closed: create another one.');
      handle = remembering(handler);
      for (const lane of options.lanes) serve(lane);
      for (const { lane, model } of [...served.values()]) serve(lane, model);
    },
    idle: async () => {
      while (!closing.signal.aborted && (await items.list()).length > 0) await delay(IDLE_POLL_MS);
      const first = failure;
      failure = undefined;
      if (first !== undefined) throw first.error;
    },
    close: async (graceMs = 0) => {
      if (closing.signal.aborted) return;
      const until = performance.now() + graceMs;
      // Samples end last: an iteration ends only after its samples are played, perhaps all of them here.
      for (const lanes of [STEPS, SAMPLES]) {
        takers.stop(lanes);
        await Promise.race([
          takers.ended(lanes),
          delay(Math.max(0, until - performance.now()), undefined, { ref: false }),
        ]);
      }
      if (takers.running() > 0) failure ??= { error: new DOMException('The queue was closed.', 'AbortError') };
      closing.abort();
      await Promise.all([takers.ended(STEPS), takers.ended(SAMPLES)]);
      await items.close();
    },
  };
}

/** One wake-up per run and lane, one item per trial. */
function toItem({ run, lane = 'init', model, trial, turn }: Job) {
  const key = trial === undefined ? run : optionsOfTrial(run, trial).jobId;
  const pointer = JSON.stringify(omitUndefined({ run, trial, turn }));
  return { lane: laneName(lane, model), key, order: computeJobOrder(turn ?? {}, Date.now()), pointer };
}

function toJob({ pointer }: HeldItem, { lane, model }: { lane: Lane; model: string | undefined }): Job {
  const { run, trial, turn } = JSON.parse(pointer) as Job;
  return omitUndefined({ run, lane, model, trial, turn });
}

function toCountedQueue(items: { list: () => Promise<readonly { lane: string; isHeld: boolean }[]> }, lane: Lane) {
  return {
    getJobCounts: async () => {
      const mine = (await items.list()).filter((item) => item.lane.startsWith(laneName(lane)));
      const active = mine.filter(({ isHeld }) => isHeld).length;
      return { active, waiting: mine.length - active };
    },
  };
}

function noSchedules(shown: string): SharedQueue['schedules'] {
  return {
    set: () =>
      Promise.reject(usageError(`The queue ${shown} knows no times: begin batches with the timer of the system.`)),
    next: () => Promise.resolve(new Map()),
    remove: () => Promise.resolve(),
    work: () => undefined,
  };
}
