/** Schedules in the queue: its own scheduler puts a job at each time that a cron pattern names, and one of all workers takes it. */
import { defaultRepeatStrategy, WaitingError } from 'bullmq';
import { isHarnessError, describeError, usageError, type HarnessError } from '../../errors.ts';
import type { Schedules } from '../../ports/job-queue.ts';
import type { Backend, LaneQueue } from './backend.ts';
import { toStorableError } from './clean-text.ts';
import type { LaneWorker } from './reconnecting-worker.ts';

const NAME = 'tandem-schedules';
const AT_ONCE = 4;

export type SchedulesOptions = {
  backend: Backend;
  lockMs: number;
  stalledMs: number;
  mostStarts: number;
  stopping: AbortSignal;
  onError: (error: Error) => void;
  unreachable: (cause: unknown) => HarnessError;
};

export type OpenSchedules = Schedules & {
  /** Resolves when no handler is running any more. */
  ended(): Promise<void>;
  close(force: boolean): Promise<void>;
};

/** The queue is opened at its first use. Its jobs hold the name of a schedule, as other jobs hold that of a run. */
export function openSchedules(options: SchedulesOptions): OpenSchedules {
  const { backend, onError, stopping, unreachable } = options;
  const running = new Set<Promise<void>>();
  let opened: LaneQueue | undefined;
  let worker: LaneWorker | undefined;
  const place = (): LaneQueue => {
    if (opened !== undefined) return opened;
    const made = backend.queue(NAME);
    made.on('error', onError);
    // As with lanes: a PostgreSQL queue whose first connection failed never connects again.
    made.waitUntilReady().catch(() => (opened = undefined));
    opened = made;
    return made;
  };
  const reached = <Value>(work: Promise<Value>): Promise<Value> =>
    work.catch((error: unknown) => {
      throw isHarnessError(error) ? error : unreachable(error);
    });
  const next = async () => {
    const found = await reached(place().getJobSchedulers(0, -1, true));
    return new Map(found.map(({ key, next: at, pattern, tz }) => [key, { cron: pattern, timeZone: tz, nextMs: at }]));
  };

  return {
    next,
    set: (schedule) => reached(setIfMissing(schedule, { place, next })),
    remove: async (id) => void (await reached(place().removeJobScheduler(id))),
    work: (handle) => {
      const { lockMs, stalledMs, mostStarts } = options;
      worker = backend.worker(
        NAME,
        // Three named parameters are needed: BullMQ counts them to decide whether it passes a signal.
        (job, token, cancelled) => {
          const signal = AbortSignal.any([stopping, ...(cancelled === undefined ? [] : [cancelled])]);
          const due = new Date(job.opts.prevMillis ?? job.timestamp + job.delay);
          const done = handle(job.data.run, due, signal).catch(async (error: unknown) => {
            if (!stopping.aborted) throw toStorableError(error);
            // A stopping process is no failure: the next worker continues the batch.
            await job.moveToWait(token);
            throw new WaitingError();
          });
          running.add(done);
          return done.finally(() => running.delete(done));
        },
        {
          ...{ concurrency: AT_ONCE, lockDuration: lockMs, stalledInterval: stalledMs },
          ...{ maxStalledCount: mostStarts, maxStartedAttempts: mostStarts },
        },
      );
      worker.on('error', (error) => onError(error));
    },
    ended: async () => void (await Promise.allSettled(running)),
    close: async (force) => {
      await worker?.close(force);
      if (!force) await opened?.close();
    },
  };
}

type ScheduleTarget = { place: () => LaneQueue; next: Schedules['next'] };

async function setIfMissing(
  { id, cron, timeZone }: Parameters<Schedules['set']>[0],
  { place, next }: ScheduleTarget,
): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    const there = (await next()).get(id);
    return there?.cron === cron && there.timeZone === timeZone;
  };
  // Setting it again would drop a time that has come and that no worker has taken yet.
  if (await isThere()) return;
  refuseBadCron(cron, timeZone);
  try {
    const job = { name: 'begin', data: { run: id }, opts: JOB_RETENTION };
    await place().upsertJobScheduler(id, { pattern: cron, tz: timeZone }, job);
  } catch (error) {
    // Another process set it at the same moment, or the answer was lost: the queue takes the first job of it once.
    if (!(await isThere())) throw error;
  }
}

/** Parses the pattern as the queue itself does. */
function refuseBadCron(cron: string, timeZone: string): void {
  try {
    defaultRepeatStrategy(Date.now(), { pattern: cron, tz: timeZone });
  } catch (cause) {
    throw usageError(
      `--cron "${cron}" names no times: ${describeError(cause)}. Give minute, hour, day, month and weekday, such as "0 2 * * *"; a sixth field, of seconds, goes first.`,
      { cause },
    );
  }
}

/** Finished jobs are removed, because the results of a batch are on disk. */
const JOB_RETENTION = { removeOnComplete: true, removeOnFail: { count: 100 } };
