/** Wraps the items of a plugin's queue: every error names the plugin and becomes an `infrastructure` error. */
import { HarnessError, describeError } from '../../errors.ts';
import type { QueueItems } from '../../ports/plugins/plugins.ts';

export type GuardedItems = {
  [Key in keyof QueueItems]-?: (
    ...given: Parameters<NonNullable<QueueItems[Key]>>
  ) => Promise<Awaited<ReturnType<NonNullable<QueueItems[Key]>>>>;
};

export function guardItems({
  items,
  fault,
  shown,
}: {
  items: QueueItems;
  fault: (error: unknown) => Error;
  shown: string;
}): GuardedItems {
  const call = async <Value>(work: () => Value | Promise<Value>): Promise<Value> => {
    try {
      return await work();
    } catch (error) {
      const message = `The queue ${shown}: ${describeError(fault(error))} Nothing is lost: workers ask each run for its next step.`;
      throw new HarnessError('infrastructure', message, { retryable: true, cause: error });
    }
  };
  return {
    put: (item) => call(() => items.put(item)),
    take: (lanes, holdMs) => call(() => items.take(lanes, holdMs)),
    renew: (hold, holdMs) => call(() => items.renew(hold, holdMs)),
    done: (hold) => call(() => items.done(hold)),
    list: () => call(() => items.list()),
    close: () => call(() => items.close?.()),
  };
}
