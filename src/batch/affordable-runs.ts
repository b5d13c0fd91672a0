/** Which runs of a batch may be at work at the same time, so that a cap that is enough for some of them finishes those. */

export type AffordableRuns = {
  /** Resolves when the cap has room for the expected US dollars of this run in addition to the working ones. */
  enter(run: string, money: { spent: number; expected: number }, signal: AbortSignal): Promise<void>;
  waits(run: string): boolean;
  /** The run rests: what it has cost counts, and no longer what it was expected to. */
  leave(run: string, spent: number): void;
};

/**
 * Runs that share a cap evenly all starve at the same point. So one that may not fit begins when another rests; one at a time
 * always works, however little is left. Contract: those that wait enter in the order in which they came.
 */
export function openAffordableRuns(capUsd: number): AffordableRuns {
  const rested = new Map<string, number>();
  const working = new Map<string, number>();
  const waiting: { run: string; need: number; enter: () => void }[] = [];
  const taken = (run: string): number => {
    const others = [...rested].filter(([one]) => one !== run && !working.has(one));
    return [...others, ...working].reduce((sum, [, usd]) => sum + usd, 0);
  };
  const fits = (run: string, need: number): boolean => working.size === 0 || taken(run) + need <= capUsd;
  const admit = (): void => {
    for (let next = waiting[0]; next !== undefined && fits(next.run, next.need); next = waiting[0]) {
      waiting.shift();
      working.set(next.run, next.need);
      next.enter();
    }
  };
  return {
    enter: (run, { spent, expected }, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        rested.set(run, spent);
        const one = { run, need: Math.max(spent, expected), enter: resolve };
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        waiting.push(one);
        admit();
      }),
    waits: (run) => waiting.some((one) => one.run === run),
    leave: (run, spent) => {
      rested.set(run, spent);
      working.delete(run);
      admit();
    },
  };
}
