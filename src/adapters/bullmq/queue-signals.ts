/** Signs of life of a shared queue: what waits, what runs, what was done; for health checks and metrics. */
import type { Lane } from '../../ports/job-queue.ts';

/** The part of a queue that is needed to count its jobs. */
export type CountedQueue = {
  getJobCounts: (...states: CountedState[]) => Promise<Record<string, number>>;
  getJobs?: (
    ...from: [states: ('waiting' | 'prioritized')[], first: number, last: number, oldestFirst: boolean]
  ) => Promise<{ timestamp: number }[]>;
};
type CountedState = 'waiting' | 'prioritized' | 'active' | 'delayed' | 'failed';

/** The next jobs of a lane; those of a higher priority may be younger than the ones after them. */
const MOST_LOOKED_AT = 99;

export type LaneSignals = { lane: Lane; waiting: number; active: number; delayed: number; failed: number };
type LaneTally = { running: number; started: number; done: number; failed: number };

export type QueueSignals = {
  started(lane: Lane): void;
  ended(lane: Lane, how: 'done' | 'failed'): void;
  alive(): void;
  /** Milliseconds since this process last took, ended or renewed a job; grows while there is nothing to do. */
  quietMs(): number;
  /** The jobs that this process took and ended. */
  tally(): ReadonlyMap<Lane, Readonly<LaneTally>>;
  /** Counts the jobs on the server, over all workers. Rejects when the server does not answer. */
  counts(): Promise<LaneSignals[]>;
  /** For each lane with a waiting job, how long the oldest one has waited, by the time at which it was added. */
  oldest(): Promise<{ lane: Lane; waitsMs: number }[]>;
  /** Jobs that wait, run or will be tried again. */
  unfinished(): Promise<number>;
};

export function createQueueSignals(queues: () => readonly (readonly [Lane, CountedQueue])[]): QueueSignals {
  const tallies = new Map<Lane, LaneTally>();
  // A monotonic clock, so that a corrected system time does not make a worker look dead.
  let last = performance.now();
  const tallyOf = (lane: Lane): LaneTally => {
    const found = tallies.get(lane) ?? { running: 0, started: 0, done: 0, failed: 0 };
    tallies.set(lane, found);
    last = performance.now();
    return found;
  };
  /** The queues of all models of a lane together. */
  const counts = async (): Promise<LaneSignals[]> => {
    const sums = new Map<Lane, LaneSignals>();
    const found = queues().map(async ([lane, queue]) => {
      const states = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
      const of = (state: string): number => states[state] ?? 0;
      const sum = sums.get(lane) ?? { lane, waiting: 0, active: 0, delayed: 0, failed: 0 };
      sums.set(lane, {
        lane,
        waiting: sum.waiting + of('waiting') + of('prioritized'),
        active: sum.active + of('active'),
        delayed: sum.delayed + of('delayed'),
        failed: sum.failed + of('failed'),
      });
    });
    await Promise.all(found);
    return [...sums.values()];
  };

  const oldest = async (): Promise<{ lane: Lane; waitsMs: number }[]> => {
    const since = new Map<Lane, number>();
    const looks = queues().map(async ([lane, queue]) => {
      const jobs = (await queue.getJobs?.(['waiting', 'prioritized'], 0, MOST_LOOKED_AT, true)) ?? [];
      for (const { timestamp } of jobs) since.set(lane, Math.min(timestamp, since.get(lane) ?? timestamp));
    });
    await Promise.all(looks);
    return [...since].map(([lane, at]) => ({ lane, waitsMs: Math.max(0, Date.now() - at) }));
  };

  return {
    started: (lane) => {
      const tally = tallyOf(lane);
      tally.running += 1;
      tally.started += 1;
    },
    ended: (lane, how) => {
      const tally = tallyOf(lane);
      tally.running -= 1;
      tally[how] += 1;
    },
    alive: () => void (last = performance.now()),
    quietMs: () => performance.now() - last,
    tally: () => tallies,
    counts,
    oldest,
    unfinished: async () =>
      (await counts()).reduce((sum, { waiting, active, delayed }) => sum + waiting + active + delayed, 0),
  };
}
