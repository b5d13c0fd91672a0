/** Concurrent writes are served together: the disk is the bottleneck, and one file for many costs as much as one for each. */
import { setImmediate as endOfTurn } from 'node:timers/promises';

export type Pending<Item> = PromiseWithResolvers<void> & { item: Item };

/** Contract: batches follow one another; `work` may reject one of its items by itself, otherwise all end as `work` does. */
export function batched<Item>(
  most: number,
  work: (batch: readonly Pending<Item>[]) => Promise<void>,
): (item: Item) => Promise<void> {
  const waiting: Pending<Item>[] = [];
  let isWorking = false;

  const workAll = async (): Promise<void> => {
    isWorking = true;
    // Items that arrived together are written together.
    await endOfTurn();
    while (waiting.length > 0) {
      const batch = waiting.splice(0, most);
      await work(batch).then(
        () => batch.forEach(({ resolve }) => resolve()),
        (error: unknown) => batch.forEach(({ reject }) => reject(error)),
      );
    }
    isWorking = false;
  };

  return (item) => {
    const mine = { ...Promise.withResolvers<void>(), item };
    waiting.push(mine);
    if (!isWorking) void workAll();
    return mine.promise;
  };
}
