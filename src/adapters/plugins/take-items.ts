/** Takes items of a plugin's queue for as long as there is room for them: each lane has places of its own. */
import { setTimeout as delay } from 'node:timers/promises';
import { describeError } from '../../errors.ts';
import type { Lane } from '../../ports/job-queue.ts';
import type { HeldItem, QueueItems } from '../../ports/plugins/plugins.ts';

/** How often the plugin is looked at while there is nothing to do. */
const LOOK_MS = 500;

export type TakeItemsOptions = {
  items: Pick<QueueItems, 'take'>;
  concurrency: Readonly<Record<Lane, number>>;
  holdMs: number;
  /** The names of a lane's queues, one for each model. */
  placesOf: (lane: Lane) => readonly string[];
  /** Contract: rejects only for a fault of the queue, which is reported. */
  perform: (held: HeldItem) => Promise<void>;
  onNotice: (detail: string) => void;
};

export type ItemTakers = {
  /** Harmless for a lane that is served already. */
  serve: (lane: Lane) => void;
  /** Looks at once. */
  nudge: () => void;
  running: () => number;
  /** Takes nothing more of these lanes. */
  stop: (lanes: readonly Lane[]) => void;
  /** Resolves when what was taken of them has ended. */
  ended: (lanes: readonly Lane[]) => Promise<void>;
};

type ItemTaker = { running: Set<Promise<void>>; isStopped: boolean; loop: Promise<void> };

export function takeItems({ items, concurrency, holdMs, placesOf, perform, onNotice }: TakeItemsOptions): ItemTakers {
  const takers = new Map<Lane, ItemTaker>();
  let nudged = Promise.withResolvers<void>();
  const nudge = (): void => {
    nudged.resolve();
    nudged = Promise.withResolvers<void>();
  };
  const complain = (error: unknown): undefined => {
    onNotice(describeError(error));
  };

  const takeOn = async (lane: Lane, mine: ItemTaker): Promise<void> => {
    while (!mine.isStopped) {
      const woken = nudged.promise;
      const isFull = mine.running.size >= concurrency[lane];
      const held = isFull ? undefined : await Promise.resolve(items.take(placesOf(lane), holdMs)).catch(complain);
      if (held === undefined) await Promise.race([woken, delay(LOOK_MS, undefined, { ref: false })]);
      else start(held, mine);
    }
    await Promise.all(mine.running);
  };
  const start = (held: HeldItem, { running }: ItemTaker): void => {
    const work = perform(held)
      .catch(complain)
      .finally(() => {
        running.delete(work);
        nudge();
      });
    running.add(work);
  };
  const of = (lanes: readonly Lane[]): ItemTaker[] => lanes.flatMap((lane) => takers.get(lane) ?? []);

  return {
    serve: (lane) => {
      if (takers.has(lane)) return nudge();
      const taker: ItemTaker = { running: new Set(), isStopped: false, loop: Promise.resolve() };
      takers.set(lane, taker);
      taker.loop = takeOn(lane, taker);
    },
    nudge,
    running: () => [...takers.values()].reduce((sum, { running }) => sum + running.size, 0),
    stop: (lanes) => {
      for (const taker of of(lanes)) taker.isStopped = true;
      nudge();
    },
    ended: async (lanes) => void (await Promise.all(of(lanes).map(({ loop }) => loop))),
  };
}
