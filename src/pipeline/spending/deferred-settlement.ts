/** Settling a call while the agent goes on: its answer is remembered already, so a crash in between settles it at the next try. */
import { computeCost } from '../../ports/model.ts';
import type { Spending } from '../../ports/run-store.ts';

export type DeferredSettlement = {
  /** For one lane, whose calls follow one another: the next reservation sees what the last call really cost. */
  lane: () => Spending;
  /** Resolves when everything that was paid is settled; throws what a settlement failed with. */
  settled: () => Promise<void>;
};

export function deferSettlement(spending: Spending): DeferredSettlement {
  const open = new Set<Promise<number>>();
  return {
    lane: () => {
      let last: Promise<number> | undefined;
      return {
        ...spending,
        reserve: async (record, capUsd, wait) => {
          await last;
          return spending.reserve(record, capUsd, wait);
        },
        settle: (call, usage, terms) => {
          const settling = spending.settle(call, usage, terms);
          // The next `await` throws the failure. Until then it is unobserved on purpose, so Node must not treat it as unhandled.
          settling.catch(() => undefined);
          last = settling;
          open.add(settling);
          void settling.then(
            () => open.delete(settling),
            () => undefined,
          );
          return Promise.resolve(computeCost(usage, terms.price));
        },
      };
    },
    settled: async () => {
      await Promise.all(open);
    },
  };
}
