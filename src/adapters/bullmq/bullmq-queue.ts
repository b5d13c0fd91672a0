/** The job queue that many workers share, over BullMQ. A job is a pointer to a run, whose data is on disk. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { HarnessError, describeError, usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type {
  HandleJob,
  Job,
  JobQueue,
  Lane,
  NextLane,
  TrialLane,
  LocateRun,
  QueuePosition,
} from '../../ports/job-queue.ts';
import type { RateLimitStore } from '../limits/rate-limit-state.ts';
import type { BackendAddress, LaneQueue } from './backend.ts';
import { openBackend } from './open-backend.ts';
import { handedBackRecords } from './handed-back.ts';
import { waitForServer, withTimeout, createOutageReporter, limitNotices } from './outage-reporter.ts';
import { unlessAborted } from '../../ports/unless-aborted.ts';
import { openLaneWorker, type OpenLaneWorker } from './lane-worker.ts';
import { laneName, openLanes } from './lanes.ts';
import type { JobEndHooks, JobHooks } from './perform-job.ts';
import { computeJobOrder } from './job-order.ts';
import { createQueueSignals, type QueueSignals } from './queue-signals.ts';
import { optionsOfTrial, openTrialLane } from './trial-lane.ts';

export type BullmqQueueOptions = JobHooks & {
  address: BackendAddress;
  /** The lanes without a model whose jobs `work` takes; `wake` works for any lane. */
  lanes: readonly Lane[];
  /** Jobs of each lane that run here at the same time. */
  concurrency: Readonly<Record<Lane, number>>;
  /** The number of tries of a job that keeps failing with retryable errors; the pause doubles from `minDelayMs` on. */
  tries: number;
  minDelayMs: number;
  lockMs: number;
  stalledMs: number;
  mostStarts: number;
  /** Jobs of a lane that run at the same time over all workers; 0 is no limit. */
  atOnce: Readonly<Record<Lane, number>>;
  /** Reports faults of the connection; the queue continues. */
  onNotice: (message: string) => void;
};

export type SharedQueue = JobQueue & {
  handedBack: NonNullable<JobQueue['handedBack']>;
  locateRun: LocateRun;
  signs: QueueSignals;
  trials: TrialLane;
  /** The provider limits that all workers share. */
  limits: RateLimitStore;
  /** Also takes jobs of this lane, once `work` was called; calling it again is harmless. */
  serve(lane: Lane, model?: string): void;
  /** Describes a wrong setting of the server, or resolves with undefined. */
  settingsFault(): Promise<string | undefined>;
  /** Counts the listening workers of all processes, for samples and in the named lanes. */
  workers(next?: readonly NextLane[]): Promise<number>;
};

const LANES: readonly Lane[] = ['init', 'execute', 'samples'];
const IDLE_POLL_MS = 25;
/** The longest wait for the server at closing: one that does not answer must not keep the process alive. */
const CLOSE_MS = 5_000;
const PING_MS = 1_000;

/** Waits for a server on PostgreSQL that is away. Rejects with `infrastructure`, retryable, when it stays so. */
export function openBullmqQueue(options: BullmqQueueOptions): Promise<SharedQueue> {
  return waitForServer(() => connectQueue(options), options);
}

// oxlint-disable-next-line max-lines-per-function -- one connection and its closing; its parts are named closures over it
async function connectQueue(options: BullmqQueueOptions): Promise<SharedQueue> {
  const { address } = options;
  const closing = new AbortController();
  const complain = createOutageReporter({
    shown: address.shown,
    probe: () => signs.counts(),
    tell: limitNotices(options.onNotice),
    signal: closing.signal,
  });
  const notice = (message: string): void => complain(new Error(message));
  const backend = await openBackend(address, (error) => complain(error));
  const lanes = openLanes(backend, complain, LANES);
  const signs = createQueueSignals(() => lanes.all());
  const { lockMs, stalledMs, mostStarts } = options;
  const limits = { lockMs, stalledMs, mostStarts };
  const unreachable = (cause: unknown): HarnessError => {
    const message = `The queue ${address.shown} cannot be reached: ${describeError(cause)}. Nothing is lost: every run is on disk. Start it, or mend the address in TANDEM_QUEUE; then the same command again.`;
    return new HarnessError('infrastructure', message, { retryable: true, cause });
  };
  const trials = openTrialLane(() => backend.events(laneName('samples')), notice);
  /** By the name of the lane; a lane that is served before `work` is called is taken from that call on. */
  const served = new Map<string, { lane: Lane; model?: string | undefined; worker?: OpenLaneWorker }>();
  let handle: HandleJob | undefined;
  let failure: { error: unknown } | undefined;

  try {
    await backend.connect();
    // Only workers set the limits, because a process that only wakes runs may have another profile.
    for (const lane of options.lanes) await limitLane(lanes.of(lane), options.atOnce[lane]);
  } catch (error) {
    closing.abort();
    await backend.close();
    throw unreachable(error);
  }

  const onGaveUp: JobHooks['onGaveUp'] = async (job, error) => {
    failure ??= { error };
    await options.onGaveUp(job, error);
  };

  const handedBack = handedBackRecords((name) => backend.queue(name), complain);

  const wake = async (job: Job, delayMs?: number): Promise<void> => {
    if (closing.signal.aborted) return;
    const { run, lane = 'init', model, trial, turn = {} } = job;
    const priority = computeJobOrder(turn, Date.now());
    const [data, how] =
      trial === undefined
        ? [
            omitUndefined({ run, turn: job.turn }),
            { ...jobOptions(run, options), priority, ...omitUndefined({ delay: delayMs }) },
          ]
        : [
            { run, trial },
            { ...optionsOfTrial(run, trial), priority },
          ];
    // A job whose addition was lost after it came is there once: the run, or the trial, names it.
    const add = () => lanes.of(lane, model).add(trial === undefined ? 'advance' : 'play', data, how);
    await waitForServer(add, { ...options, signal: closing.signal }).catch((error: unknown) => {
      if (!closing.signal.aborted) throw unreachable(error);
    });
  };

  const ends: JobEndHooks = {
    handedBack: async (job, back) => {
      const delayMs = await handedBack.add(job.run, back);
      await wake(job, delayMs);
      return delayMs;
    },
    done: (job) => (job.trial === undefined ? handedBack.forget(job.run).catch(complain) : Promise.resolve()),
  };

  const serve = (lane: Lane, model?: string): void => {
    const name = laneName(lane, model);
    const place = served.get(name) ?? { lane, model };
    served.set(name, place);
    if (place.worker !== undefined || handle === undefined || closing.signal.aborted) return;
    if (model !== undefined) limitLane(lanes.of(lane, model), options.atOnce[lane]).catch(complain);
    const { onRetry } = options;
    const common = { backend, handle, hooks: { onRetry, onGaveUp }, ends, stopping: closing.signal, signs, notice };
    place.worker = openLaneWorker({ ...common, ...limits, concurrency: options.concurrency[lane], lane, model });
  };
  const workers = (isWanted: (lane: Lane) => boolean = () => true): OpenLaneWorker[] =>
    [...served.values()].flatMap(({ lane, worker }) => (worker === undefined || !isWanted(lane) ? [] : [worker]));
  const queues = (): LaneQueue[] => lanes.all().map(([, queue]) => queue);

  return {
    signs,
    serve,
    limits: backend.limits,
    handedBack,
    settingsFault: () => backend.settingsFault(),
    locateRun: async (run, { lane, model }) => ({
      ...(await locateRun(run, lanes.of(lane, model))),
      handedBack: await handedBack.of(run),
    }),
    trials: { put: (run, trial, turn = {}) => wake({ run, lane: 'samples', trial, turn }), onEnded: trials.onEnded },
    workers: async (next = []) => {
      const all = [...queues(), ...next.map(({ lane, model }) => lanes.of(lane, model))];
      return Math.max(...(await Promise.all(all.map((queue) => queue.getWorkersCount()))));
    },
    wake: (job) => wake(job),
    work: async (handler: HandleJob) => {
      if (handle !== undefined) throw usageError('This queue is being worked on already: create another one.');
      if (closing.signal.aborted) throw usageError('This queue is closed: create another one.');
      handle = handler;
      const fault = await backend.settingsFault().catch(complain);
      if (typeof fault === 'string') notice(fault);
      for (const lane of options.lanes) serve(lane);
      for (const { lane, model } of [...served.values()]) serve(lane, model);
    },
    idle: async () => {
      // After a close PostgreSQL's promises may never settle (seen with BullMQ 6.7).
      while ((await unlessAborted(signs.unfinished(), closing.signal)) > 0) {
        await delay(IDLE_POLL_MS, undefined, { signal: closing.signal }).catch(() => closing.signal.throwIfAborted());
      }
      const first = failure;
      failure = undefined;
      if (first !== undefined) throw first.error;
    },
    close: async (graceMs = 0) => {
      if (closing.signal.aborted) return;
      const until = performance.now() + graceMs;
      // Sample lanes close last: an iteration ends only after its samples are played, perhaps all by this worker.
      for (const some of [workers((lane) => lane !== 'samples'), workers((lane) => lane === 'samples')]) {
        await withTimeout(CLOSE_MS, Promise.all(some.map((worker) => worker.stopTaking())));
        await withTimeout(Math.max(0, until - performance.now()), Promise.all(some.map((worker) => worker.ended())));
      }
      closing.abort();
      await Promise.all(workers().map((worker) => worker.ended()));
      // A worker that disconnects from a server which is gone waits for it, and its timers keep the process alive.
      const isThere = await withTimeout(PING_MS, backend.connect());
      await withTimeout(CLOSE_MS, Promise.all([trials.close(), ...workers().map((worker) => worker.close(!isThere))]));
      if (isThere)
        await withTimeout(CLOSE_MS, Promise.all([...queues().map((queue) => queue.close()), handedBack.close()]));
      await backend.close();
    },
  };
}

/**
 * One wake-up per run: a run that waits is not added again, a run in progress is added after it. Each job has a new id
 * without a colon, because BullMQ silently ignores an id that was used before.
 */
function jobOptions(run: string, { tries, minDelayMs }: BullmqQueueOptions) {
  return {
    jobId: `${run}_${randomUUID()}`,
    deduplication: { id: run, keepLastIfActive: true },
    attempts: tries,
    ...(minDelayMs > 0 ? { backoff: { type: 'exponential', delay: minDelayMs, jitter: 0.5 } } : {}),
    stackTraceLimit: 1,
  };
}

async function limitLane(queue: LaneQueue, atOnce: number): Promise<void> {
  if (atOnce > 0) await queue.setGlobalConcurrency(atOnce);
  else await queue.removeGlobalConcurrency();
}

async function locateRun(run: string, queue: LaneQueue): Promise<Omit<QueuePosition, 'handedBack'>> {
  const workers = await queue.getWorkersCount();
  const id = await queue.getDeduplicationJobId(run);
  const job = id === null ? undefined : await queue.getJob(id);
  if (job === undefined) return { state: 'absent', workers };
  const state = await job.getState();
  const at = (ms: number): string => new Date(ms).toISOString();
  if (state === 'active') return { state, since: at(job.processedOn ?? job.timestamp), workers };
  if (state === 'delayed')
    return { state, since: at(job.timestamp), until: at(job.timestamp + (job.delay ?? 0)), workers };
  return state === 'waiting' || state === 'prioritized'
    ? { state: 'waiting', since: at(job.timestamp), workers }
    : { state: 'absent', workers };
}
