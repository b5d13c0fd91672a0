/** Settling a call while the agent goes on: its answer is remembered already, so a crash in between settles it at the next try. */
import { isHarnessError } from '../../errors.ts';
import { costOf } from '../../ports/model.ts';
import type { Spending } from '../../ports/run-store.ts';

export type DeferredSettlement = {
  /** For one lane, whose calls follow one another: the next reservation sees what the last call really cost. */
  lane: () => Spending;
  /** Resolves when everything that was paid is settled; throws what a settlement failed with. */
  settled: () => Promise<void>;
};

/** A lane mostly calls again at once: then its settlement goes to the disk in one file with the next reservation. */
const HOLD_MS = 50;

/** Begins on request, or by itself after a while. */
type Settlement = { begin: () => Promise<number> };

export function deferSettlement(spending: Spending): DeferredSettlement {
  const open = new Set<Settlement>();
  const settled = async (): Promise<void> => {
    await Promise.all([...open].map(({ begin }) => begin()));
  };
  const hold = (work: () => Promise<number>): Settlement => {
    let running: Promise<number> | undefined;
    const settlement = {
      begin: () => {
        clearTimeout(timer);
        running ??= work().then((usd) => {
          open.delete(settlement);
          return usd;
        });
        // The next `await` throws the failure. Until then it is unobserved on purpose, so Node must not treat it as unhandled.
        running.catch(() => undefined);
        return running;
      },
    };
    const timer = setTimeout(() => void settlement.begin(), HOLD_MS);
    open.add(settlement);
    return settlement;
  };
  return {
    lane: () => {
      let last: Settlement | undefined;
      return {
        ...spending,
        reserve: async (record, capUsd) => {
          const isOpen = open.size > 0;
          const reserve = () => spending.reserve(record, capUsd);
          const before = last?.begin();
          const reserving = reserve().catch(async (error: unknown) => {
            // What is paid already counts with what it cost, not with the most that it could have cost.
            if (!isOpen || !isHarnessError(error, 'budget_exceeded')) throw error;
            await settled();
            return reserve();
          });
          // Settlements of other lanes begin too, but no caller waits for them.
          for (const other of open) void other.begin();
          await Promise.all([before, reserving]);
        },
        settle: (call, usage, terms) => {
          last = hold(() => spending.settle(call, usage, terms));
          return Promise.resolve(costOf(usage, terms.price));
        },
      };
    },
    settled,
  };
}
