/** The job queue that many workers share, over BullMQ. Jobs carry pointers; what they point at is on disk. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { HarnessError, messageOf } from '../../errors.ts';
import type { HandleJob, JobQueue, Lane } from '../../ports/job-queue.ts';
import { openBackend, type Address, type LaneQueue } from './backend.ts';
import { openLaneWorker, type OpenLaneWorker } from './lane-worker.ts';
import type { JobHooks } from './perform-job.ts';
import { createSigns, type QueueSigns } from './signs.ts';

export type BullmqQueueOptions = JobHooks & {
  address: Address;
  /** The lanes that `work` takes jobs of; waking goes to any lane. */
  lanes: readonly Lane[];
  /** Jobs of each lane that run here at the same time. */
  concurrency: number;
  /** How often a job is tried when a retryable error comes each time; the wait doubles from `minDelayMs` on. */
  tries: number;
  minDelayMs: number;
  lockMs: number;
  stalledMs: number;
  mostStarts: number;
  /** Jobs of a lane that run at the same time over all workers; 0 is no limit. */
  atOnce: Readonly<Record<Lane, number>>;
  /** Faults of the connection: told, then lived through. */
  onNotice: (message: string) => void;
};

export type SharedQueue = JobQueue & {
  signs: QueueSigns;
  /** How many workers listen, over all processes. */
  workers(): Promise<number>;
};

const LANES: readonly Lane[] = ['init', 'execute'];
const IDLE_POLL_MS = 25;
const DAY_SECONDS = 24 * 60 * 60;
/** A server that does not answer must not keep a process from ending. */
const CLOSE_MS = 5_000;
const PING_MS = 1_000;

/** Rejects with `infrastructure`, retryable, when the server cannot be reached. */
export async function openBullmqQueue(options: BullmqQueueOptions): Promise<SharedQueue> {
  const { address } = options;
  const notice = sparingly(options.onNotice);
  const backend = openBackend(address, (error) => notice(`the queue ${address.shown}: ${messageOf(error)}`));
  const queues = new Map<Lane, LaneQueue>(LANES.map((lane) => [lane, backend.queue(`tandem-${lane}`)]));
  for (const queue of queues.values())
    queue.on('error', (error) => notice(`the queue ${address.shown}: ${error.message}`));
  const closing = new AbortController();
  const signs = createSigns(queues);
  let workers: OpenLaneWorker[] = [];
  let failure: { error: unknown } | undefined;

  const unreachable = (cause: unknown): HarnessError =>
    new HarnessError(
      'infrastructure',
      `The queue ${address.shown} cannot be reached: ${messageOf(cause)}. Nothing is lost: every run is on disk, and workers ask each for its next step.`,
      { retryable: true, cause },
    );

  try {
    await backend.connect();
    // Workers alone set the limits: whoever only wakes a run may have another profile.
    for (const lane of options.lanes) await limitLane(queues.get(lane), options.atOnce[lane]);
  } catch (error) {
    await backend.close();
    throw unreachable(error);
  }

  const onGaveUp: JobHooks['onGaveUp'] = async (job, error) => {
    failure ??= { error };
    await options.onGaveUp(job, error);
  };

  return {
    signs,
    workers: async () => Math.max(...(await Promise.all([...queues.values()].map((queue) => queue.getWorkersCount())))),
    wake: async ({ run, lane = 'init' }) => {
      if (closing.signal.aborted) return;
      await queues
        .get(lane)
        ?.add('advance', { run }, jobOptions(run, options))
        .catch((error: unknown) => {
          if (!closing.signal.aborted) throw unreachable(error);
        });
    },
    work: async (handle: HandleJob) => {
      if (workers.length > 0)
        throw new HarnessError('usage', 'This queue is being worked on already: create another one.');
      if (closing.signal.aborted) throw new HarnessError('usage', 'This queue is closed: create another one.');
      const { concurrency, lockMs, stalledMs, mostStarts, onRetry } = options;
      const limits = { concurrency, lockMs, stalledMs, mostStarts };
      const common = { backend, handle, hooks: { onRetry, onGaveUp }, stopping: closing.signal, signs, notice };
      workers = options.lanes.map((lane) => openLaneWorker({ ...common, ...limits, lane }));
    },
    idle: async () => {
      while ((await unlessClosed(signs.unfinished(), closing.signal)) > 0) {
        await delay(IDLE_POLL_MS, undefined, { signal: closing.signal }).catch(() => closing.signal.throwIfAborted());
      }
      const first = failure;
      failure = undefined;
      if (first !== undefined) throw first.error;
    },
    close: async (graceMs = 0) => {
      if (closing.signal.aborted) return;
      await within(CLOSE_MS, Promise.all(workers.map((worker) => worker.stopTaking())));
      await within(graceMs, Promise.all(workers.map((worker) => worker.ended())));
      closing.abort();
      await Promise.all(workers.map((worker) => worker.ended()));
      // A worker that says good-bye to a server which is gone waits for it, and its timers keep the process alive.
      const isThere = await within(PING_MS, backend.connect());
      await within(CLOSE_MS, Promise.all(workers.map((worker) => worker.close(!isThere))));
      if (isThere) await within(CLOSE_MS, Promise.all([...queues.values()].map((queue) => queue.close())));
      await backend.close();
    },
  };
}

/**
 * One wake-up per run, whoever asks: a run that waits is not added again, one that runs is added once it has ended. The
 * job's own id is new each time, because an id that was ever used is ignored in silence; it holds no colon.
 */
function jobOptions(run: string, { tries, minDelayMs }: BullmqQueueOptions) {
  return {
    jobId: `${run}_${randomUUID()}`,
    deduplication: { id: run, keepLastIfActive: true },
    attempts: tries,
    ...(minDelayMs > 0 ? { backoff: { type: 'exponential', delay: minDelayMs, jitter: 0.5 } } : {}),
    // What was done is on disk; what failed is kept as the list of dead letters.
    removeOnComplete: true,
    removeOnFail: { count: 1000, age: 7 * DAY_SECONDS },
    stackTraceLimit: 1,
  };
}

async function limitLane(queue: LaneQueue | undefined, atOnce: number): Promise<void> {
  if (atOnce > 0) await queue?.setGlobalConcurrency(atOnce);
  else await queue?.removeGlobalConcurrency();
}

/** True when the work was done well before the time was over. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  const done = work
    .then(
      () => true,
      () => false,
    )
    .finally(() => over.abort());
  return Promise.race([done, delay(ms, false, { signal: over.signal }).catch(() => done)]);
}

/** After a close PostgreSQL's promises may never settle (durable-runs §3.4). */
async function unlessClosed<Value>(work: Promise<Value>, closed: AbortSignal): Promise<Value> {
  closed.throwIfAborted();
  const end = Promise.withResolvers<never>();
  const stop = (): void => end.reject(closed.reason);
  closed.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, end.promise]);
  } finally {
    closed.removeEventListener('abort', stop);
  }
}

const NOTICE_MS = 10_000;
const MOST_NOTICES = 100;

/** A server that is away says so many times a second; people are told once in a while. */
function sparingly(tell: (message: string) => void): (message: string) => void {
  const told = new Map<string, number>();
  return (message) => {
    if (Date.now() - (told.get(message) ?? 0) < NOTICE_MS) return;
    if (told.size > MOST_NOTICES) told.clear();
    told.set(message, Date.now());
    tell(message);
  };
}
