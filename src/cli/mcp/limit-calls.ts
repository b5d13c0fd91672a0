/** Limits how many commands tool callers run at the same time: each is a process of this machine. */
import { usageError } from '../../errors.ts';

export type CallLimiter = <T>(who: string, act: () => Promise<T>) => Promise<T>;

/** Calls `act` at once or not at all; throws `usage` when too many other calls are running. */
export function limitCalls({ each, all }: { each: number; all: number }): CallLimiter {
  const busy = new Map<string, number>();
  let total = 0;
  return async (who, act) => {
    const own = busy.get(who) ?? 0;
    if (own >= each || total >= all) {
      const many = own >= each ? `${own} calls of ${who} are` : `${total} calls are`;
      throw usageError(`${many} under way: ask again when one has ended.`);
    }
    busy.set(who, own + 1);
    total += 1;
    try {
      return await act();
    } finally {
      total -= 1;
      const left = (busy.get(who) ?? 1) - 1;
      if (left === 0) busy.delete(who);
      else busy.set(who, left);
    }
  };
}
