/** Limits requests per name: a token bucket for each, refilled evenly. */

export type RateLimit = {
  /** True when this one may pass. */
  take: (who: string) => boolean;
};

/** Names beyond this are forgotten, oldest first: a flood of new ones must not fill the memory. */
const MOST_NAMES = 10_000;

export function createRateLimit(perMinute: number, nowMs: () => number): RateLimit {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    take: (who) => {
      const at = nowMs();
      const before = buckets.get(who) ?? { left: perMinute, at };
      const left = Math.min(perMinute, before.left + ((at - before.at) / 60_000) * perMinute);
      buckets.delete(who);
      const [oldest] = buckets.size >= MOST_NAMES ? buckets.keys() : [];
      if (oldest !== undefined) buckets.delete(oldest);
      buckets.set(who, { left: left >= 1 ? left - 1 : left, at });
      return left >= 1;
    },
  };
}
