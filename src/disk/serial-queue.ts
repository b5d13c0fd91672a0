/** Orders the async work of this process: one call after the other, or many items in one call. */
import { setImmediate as endOfTurn, setTimeout as delay } from 'node:timers/promises';

/** Runs async calls of this process one after the other, also when an earlier one fails. */
export function createSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** Works at the first call, and again only after a failure. */
export function rememberSuccess<Given extends unknown[], T>(
  work: (...given: Given) => Promise<T>,
): (...given: Given) => Promise<T> {
  let done: Promise<T> | undefined;
  return (...given) =>
    (done ??= work(...given).catch((error: unknown) => {
      done = undefined;
      throw error;
    }));
}

/** A request during a call shares the next one, which begins after it and so sees every change that its caller knows of. */
export function shareCalls<Item, T>(
  work: (items: readonly Item[]) => Promise<T>,
): (items: readonly Item[]) => Promise<T> {
  const inTurn = createSerialQueue();
  let next: { items: Set<Item>; answer: Promise<T> } | undefined;
  return (items) => {
    if (next !== undefined) {
      for (const item of items) next.items.add(item);
      return next.answer;
    }
    const all = new Set(items);
    const answer = inTurn(() => {
      next = undefined;
      return work([...all]);
    });
    next = { items: all, answer };
    return answer;
  };
}

export type PendingItem<Item> = PromiseWithResolvers<void> & { item: Item };

/**
 * Batches concurrent writes, because one file for many items costs as much as one for each. Contract: batches run one
 * at a time; `work` may reject single items, all others settle as `work` does. Each waits `pauseMs` for more items, or
 * one turn, which lets those that arrived together be written together.
 */
export function createBatcher<Item>(
  most: number,
  work: (batch: readonly PendingItem<Item>[]) => Promise<void>,
  pauseMs = 0,
): (item: Item) => Promise<void> {
  const waiting: PendingItem<Item>[] = [];
  let isWorking = false;

  const workAll = async (): Promise<void> => {
    isWorking = true;
    while (waiting.length > 0) {
      await (pauseMs === 0 ? endOfTurn() : delay(pauseMs));
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
