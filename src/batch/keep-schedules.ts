/** Begins the batches of schedules at their times: any number of workers may do this at once, and each time begins once. */
import { describeError } from '../errors.ts';
import type { Clock } from '../ports/run-store.ts';
import type { SharedFiles } from '../ports/shared-files.ts';
import { DEFAULT_CATCH_UP_MS, readSchedules, type Schedule } from './schedule.ts';
import {
  claimStart,
  decideStart,
  endStart,
  findNextDue,
  planBeginnings,
  planDecisions,
  pruneStarts,
  readStarts,
  type Beginning,
  type StartClaim,
  type NextTime,
  type Start,
} from './schedule-starts.ts';

/** `undefined` says that nothing could begin, and that it can be tried again: the queue or the store is away. */
export type BatchExit = number | string | undefined;

export type ScheduleKeeperDeps = {
  shared: SharedFiles;
  clock: Clock;
  /** The name of this worker, by which others see whether it lives. */
  worker: string;
  isAlive: () => Promise<(worker: string) => boolean>;
  timesOf: (schedule: Schedule) => NextTime;
  /** Runs the batch to its end, or goes on with it; `signal` stops it. */
  begin: (schedule: Schedule, batch: string, signal: AbortSignal) => Promise<BatchExit>;
  /** Resolves before the next try of a batch that could not begin. */
  pause: (signal: AbortSignal) => Promise<void>;
  /** Cancels the runs of a batch. */
  cancel: (batch: string, schedule: Schedule) => Promise<void>;
  say: (detail: string) => void;
  /** A start that takes its workers down is given up after so many of them. */
  mostStarts: number;
};

export type ScheduleKeeper = {
  /** Decides and begins all that is due, and resolves with the time of the next due start, in milliseconds. */
  look: () => Promise<number | undefined>;
  /** Stops what was begun here, for other workers to go on with. */
  close: () => Promise<void>;
};

const AT_ONCE = 4;

export function createScheduleKeeper(deps: ScheduleKeeperDeps): ScheduleKeeper {
  const { shared, clock, worker, say } = deps;
  const running = new Map<string, { stop: AbortController; done: Promise<void> }>();
  const nowMs = (): number => clock.now().getTime();
  let isClosed = false;

  /** Waits for nothing: the batch runs on while the keeper looks again. */
  const begin = async (schedule: Schedule, { start, replaces }: Beginning): Promise<void> => {
    const { id } = schedule;
    const { batch, due, claims } = start;
    const at = clock.now().toISOString();
    if (claims.length >= deps.mostStarts)
      return endStart(shared, id, { batch, at, exit: `given up after ${claims.length} workers` });
    if (!(await claimStart(shared, id, { start, worker, at }))) return;
    for (const { batch: earlier } of replaces) {
      await endStart(shared, id, { batch: earlier, at, exit: `cancelled for ${batch}` });
      await deps.cancel(earlier, schedule);
    }
    say(`schedule ${id} begins batch ${batch}, due at ${due}`);
    const stop = new AbortController();
    const done = beginPatiently({ schedule, start, signal: stop.signal }, deps)
      .catch(describeError)
      .then(async (exit) => {
        if (!stop.signal.aborted) return settleStart(schedule, { batch, exit }, deps);
        // The next worker goes on with what a stopping one leaves; a replaced batch has ended already.
        if (!isClosed) await deps.cancel(batch, schedule);
      })
      // Whoever looks next finds it without an end, and goes on with it.
      .catch((error: unknown) => say(`batch ${batch}: ${describeError(error)}`));
    running.set(batch, { stop, done: done.finally(() => running.delete(batch)) });
  };

  const lookAt = async (schedule: Schedule, isAlive: (worker: string) => boolean): Promise<number | undefined> => {
    const moment = { schedule, starts: await readStarts(shared, schedule.id), nowMs: nowMs() };
    const nextTime = deps.timesOf(schedule);
    const decisions = planDecisions(moment, nextTime);
    for (const decision of decisions) await decideStart(shared, schedule.id, decision);
    const starts = decisions.length === 0 ? moment.starts : await readStarts(shared, schedule.id);
    for (const { batch, ending } of starts) if (ending !== undefined) running.get(batch)?.stop.abort();
    const isHeld = ({ worker: holder }: StartClaim, batch: string): boolean =>
      holder === worker ? running.has(batch) : isAlive(holder);
    for (const beginning of planBeginnings(schedule, starts, isHeld))
      if (running.size < AT_ONCE && !isClosed) await begin(schedule, beginning);
    return findNextDue({ ...moment, starts }, nextTime);
  };

  return {
    look: async () => {
      const isAlive = await deps.isAlive();
      const next: number[] = [];
      for (const schedule of await readSchedules(shared)) {
        const due = await lookAt(schedule, isAlive);
        if (due !== undefined) next.push(due);
      }
      return next.length === 0 ? undefined : Math.min(...next);
    },
    close: async () => {
      isClosed = true;
      for (const { stop } of running.values()) stop.abort();
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

type PatientStart = { schedule: Schedule; start: Start; signal: AbortSignal };

/** A night whose queue is away begins when it is back. One that a person asked for has its window from now on. */
async function beginPatiently(
  { schedule, start: { batch, due, asked }, signal }: PatientStart,
  { begin, pause, clock }: ScheduleKeeperDeps,
): Promise<BatchExit> {
  const nowMs = (): number => clock.now().getTime();
  const sinceMs = asked === undefined ? Date.parse(due) : nowMs();
  const untilMs = Math.max(nowMs(), sinceMs + (schedule.catchUpMs ?? DEFAULT_CATCH_UP_MS));
  for (;;) {
    const exit = await begin(schedule, batch, signal);
    if (exit !== undefined || signal.aborted || nowMs() >= untilMs) return exit;
    await pause(signal);
  }
}

async function settleStart(
  { id }: Schedule,
  { batch, exit = 'it could not begin within its catch-up window' }: { batch: string; exit: BatchExit },
  { shared, clock, say }: ScheduleKeeperDeps,
): Promise<void> {
  await endStart(shared, id, { batch, exit, at: clock.now().toISOString() });
  say(typeof exit === 'number' ? `batch ${batch} ended with exit code ${exit}` : `batch ${batch}: ${exit}`);
  await pruneStarts(shared, id);
}
