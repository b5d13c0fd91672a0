/** Records which workers gave the next step of a run back, and why: one record per run, in a queue without workers. */
import type { HandedBack } from '../../ports/job-queue.ts';
import type { LaneQueue } from './backend.ts';

const NAME = 'tandem-handed-back';
const FIRST_MS = 250;
const LONGEST_MS = 4_000;
/** The entry of a worker that did not give the step back again is dropped after this time. */
const FORGOTTEN_MS = 10 * 60_000;

type HandBackEntry = HandedBack & { times: number; at: number };
type HandBackRecord = { run: string; by: HandBackEntry[] };

export type HandedBackRecords = {
  /** Resolves with the delay before the run is offered again, which the same worker may then take. */
  add(run: string, back: HandedBack): Promise<number>;
  of(run: string): Promise<HandedBack[]>;
  forget(run: string): Promise<void>;
  close(): Promise<void>;
};

/** The queue is opened at its first use. Two simultaneous writers may lose one entry, which is written at the next try. */
export function handedBackRecords(
  open: (name: string) => LaneQueue,
  onError: (error: Error) => void,
): HandedBackRecords {
  let queue: LaneQueue | undefined;
  const place = (): LaneQueue => {
    if (queue !== undefined) return queue;
    const opened = open(NAME);
    opened.on('error', onError);
    // As with lanes: a PostgreSQL queue whose first connection failed never connects again.
    opened.waitUntilReady().catch(() => (queue = undefined));
    queue = opened;
    return opened;
  };
  const idOf = (run: string): string => `run_${run}`;
  const read = async (run: string): Promise<HandBackEntry[]> => {
    const found = (await place().getJob(idOf(run)))?.data as unknown as Partial<HandBackRecord> | undefined;
    return (found?.by ?? []).filter(({ at }) => Date.now() - at < FORGOTTEN_MS);
  };
  const forget = async (run: string): Promise<void> => void (await place().remove(idOf(run)));
  return {
    close: async () => queue?.close(),
    forget,
    of: async (run) => (await read(run)).map(({ times: _times, at: _at, ...back }) => back),
    add: async (run, back) => {
      const before = await read(run);
      const times = (before.find((entry) => entry.worker === back.worker)?.times ?? 0) + 1;
      const others = before.filter((entry) => entry.worker !== back.worker);
      const record: HandBackRecord = { run, by: [...others, { ...back, times, at: Date.now() }] };
      await forget(run);
      await place().add('handed-back', record, { jobId: idOf(run) });
      return Math.min(LONGEST_MS, FIRST_MS * 2 ** (times - 1));
    },
  };
}
