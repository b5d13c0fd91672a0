/** How many commands run at a time for those who call tools: each is a process of this machine. */
import { usageError } from '../../errors.ts';

export type Limit = <T>(who: string, act: () => Promise<T>) => Promise<T>;

/** Contract: `act` is called at once or not at all; `usage` says that others are under way. */
export function limitCalls({ each, all }: { each: number; all: number }): Limit {
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
