/** The worker of one lane: takes jobs, and stops the ones whose lock is lost, which BullMQ itself does not do. */
import { HarnessError, describeError } from '../../errors.ts';
import type { Backend } from './backend.ts';
import { laneName } from './lanes.ts';
import { performJob, toPointer, type JobContext } from './perform-job.ts';
import type { QueueSignals } from './queue-signals.ts';
import type { LaneWorker } from './reconnecting-worker.ts';

/** How long a job that this worker gave back waits for other workers alone. */
const HEAD_START_MS = 1_000;
const WEEK_SECONDS = 7 * 24 * 60 * 60;

type JobSettings = Pick<JobContext, 'lane' | 'model' | 'handle' | 'hooks' | 'ends' | 'stopping' | 'mostStarts'>;
export type LaneWorkerOptions = JobSettings & {
  backend: Backend;
  signs: QueueSignals;
  notice: (message: string) => void;
  concurrency: number;
  lockMs: number;
  stalledMs: number;
};

export type OpenLaneWorker = {
  stopTaking(): Promise<void>;
  /** Resolves when no handler runs any more. */
  ended(): Promise<void>;
  /** `force`: the server is gone and receives nothing more. */
  close(force: boolean): Promise<void>;
};

export function openLaneWorker(options: LaneWorkerOptions): OpenLaneWorker {
  const { lane, model, hooks, ends, signs, notice, stopping, mostStarts, handle } = options;
  const running = new Set<Promise<void>>();
  const live = new Map<string, AbortController>();
  let isStopped = false;
  const complain = (fault: unknown): void => notice(String(fault));
  const rest = (ms: number): void => {
    const again = (): void => {
      if (!isStopped) worker.resume().catch(complain);
    };
    worker.pause(true).then(() => setTimeout(again, ms + HEAD_START_MS).unref(), complain);
  };
  const how = { handle, hooks, ends, stopping, mostStarts, isClosed: () => isStopped };
  const performance: JobContext = { lane, model, ...how, live, worker: () => worker, rest };

  const track = async (done: Promise<void>): Promise<void> => {
    running.add(done);
    signs.started(lane);
    try {
      await done;
      signs.ended(lane, 'done');
    } catch (error) {
      signs.ended(lane, 'failed');
      throw error;
    } finally {
      running.delete(done);
    }
  };

  const worker: LaneWorker = options.backend.worker(
    laneName(lane, model),
    // Three named parameters: BullMQ counts them before it hands out a signal.
    (job, token, signal) => track(performJob({ job, token: token ?? '', cancelled: signal ?? stopping }, performance)),
    workerOptions(options),
  );
  worker.on('lockRenewalFailed', (ids) => {
    for (const id of ids) live.get(id)?.abort(lockLost(id));
  });
  worker.on('locksRenewed', () => signs.alive());
  worker.on('error', (error) => notice(`${lane} worker: ${describeError(error)}`));
  worker.on('failed', (job, error) => {
    // Given up without a try here: its earlier workers died too often.
    const neverTried = job !== undefined && /stalled more than|started more than/.test(error.message);
    if (neverTried) void hooks.onGaveUp(toPointer(job.data, performance), diedTooOften(error)).catch(complain);
  });

  return {
    stopTaking: () => {
      isStopped = true;
      return worker.pause(true);
    },
    ended: async () => {
      while (running.size > 0) await Promise.allSettled(running);
    },
    close: (force) => worker.close(force),
  };
}

function workerOptions({ concurrency, lockMs, stalledMs, mostStarts }: LaneWorkerOptions) {
  return {
    concurrency,
    lockDuration: lockMs,
    stalledInterval: stalledMs,
    // A worker that dies is no poison by itself: one ceiling holds for deaths and failures together.
    maxStalledCount: mostStarts,
    maxStartedAttempts: mostStarts,
    // Results are on disk; failed jobs stay as dead letters. Set here, the options are not stored with each job.
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 1000, age: WEEK_SECONDS },
    // Pausing a lane for a provider works only with a limiter; this one never bites.
    limiter: { max: 100_000, duration: 1000 },
  };
}

function lockLost(job: string): HarnessError {
  const message = 'The queue gave this job to another worker: this one stops, and nothing is lost.';
  return new HarnessError('attempt_lost', message, { details: { job } });
}

function diedTooOften(cause: Error): HarnessError {
  const message = `The workers of this step died too often (${cause.message}). Look at their memory and logs, then: tandem resume <run>.`;
  return new HarnessError('infrastructure', message, { cause });
}
