/** Schedules in the queue: its own scheduler puts a job at each time that a cron pattern names, and one of all workers takes it. */
import { defaultRepeatStrategy, WaitingError } from 'bullmq';
import { isHarnessError, messageOf, usageError, type HarnessError } from '../../errors.ts';
import type { Schedules } from '../../ports/job-queue.ts';
import type { Backend, LaneQueue } from './backend.ts';
import { storable } from './clean-text.ts';
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
  /** Resolves when no handler runs any more. */
  ended(): Promise<void>;
  close(force: boolean): Promise<void>;
};

/** Opened when it is needed first. A job holds the name of its schedule, as others hold that of a run. */
export function openSchedules(options: SchedulesOptions): OpenSchedules {
  const { backend, onError, stopping, unreachable } = options;
  const running = new Set<Promise<void>>();
  let opened: LaneQueue | undefined;
  let worker: LaneWorker | undefined;
  const place = (): LaneQueue => {
    if (opened !== undefined) return opened;
    const made = backend.queue(NAME);
    made.on('error', onError);
    // As with lanes: on PostgreSQL one whose first connection failed never connects again.
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
    set: (schedule) => reached(setOnce(schedule, { place, next })),
    remove: async (id) => void (await reached(place().removeJobScheduler(id))),
    work: (handle) => {
      const { lockMs, stalledMs, mostStarts } = options;
      worker = backend.worker(
        NAME,
        // Three named parameters: BullMQ counts them before it hands out a signal.
        (job, token, cancelled) => {
          const signal = AbortSignal.any([stopping, ...(cancelled === undefined ? [] : [cancelled])]);
          const due = new Date(job.opts.prevMillis ?? job.timestamp + job.delay);
          const done = handle(job.data.run, due, signal).catch(async (error: unknown) => {
            if (!stopping.aborted) throw storable(error);
            // A deploy is no failure: the next worker goes on with the batch.
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

type Place = { place: () => LaneQueue; next: Schedules['next'] };

async function setOnce({ id, cron, timeZone }: Parameters<Schedules['set']>[0], { place, next }: Place): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    const there = (await next()).get(id);
    return there?.cron === cron && there.timeZone === timeZone;
  };
  // Set again it would forget a time that has come and that no worker has taken yet.
  if (await isThere()) return;
  refuseBadCron(cron, timeZone);
  try {
    const job = { name: 'begin', data: { run: id }, opts: JOB_RETENTION };
    await place().upsertJobScheduler(id, { pattern: cron, tz: timeZone }, job);
  } catch (error) {
    // Somebody else set it in the same moment, or the answer got lost: the queue takes the first job of it once.
    if (!(await isThere())) throw error;
  }
}

/** As the queue itself reads it. */
function refuseBadCron(cron: string, timeZone: string): void {
  try {
    defaultRepeatStrategy(Date.now(), { pattern: cron, tz: timeZone });
  } catch (cause) {
    throw usageError(
      `--cron "${cron}" names no times: ${messageOf(cause)}. Give minute, hour, day, month and weekday, such as "0 2 * * *"; a sixth field, of seconds, goes first.`,
      { cause },
    );
  }
}

/** What a batch did is on disk. */
const JOB_RETENTION = { removeOnComplete: true, removeOnFail: { count: 100 } };
