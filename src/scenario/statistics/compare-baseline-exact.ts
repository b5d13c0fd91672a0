/** Exact tests for small counts: no approximation that only holds for hundreds of samples. */
import type { Tally } from './pass-k.ts';

/** Fisher's exact test, one side: how likely so few passes in `now` are, if both come from the same rate. */
export function fisherWorse(before: Tally, now: Tally): number {
  const passed = before.passed + now.passed;
  const least = Math.max(0, passed - before.total);
  let p = 0;
  for (let hits = least; hits <= now.passed; hits += 1)
    p += hypergeometric(hits, { drawn: now.total, marked: passed, all: before.total + now.total });
  return Math.min(1, p);
}

/** McNemar's exact test, one side: of the samples that changed, how likely so many changed for the worse. */
export function mcnemarWorse(better: number, worse: number): number {
  const changed = better + worse;
  let p = 0;
  for (let hits = worse; hits <= changed; hits += 1) p += Math.exp(logChoose(changed, hits) - changed * Math.LN2);
  return Math.min(1, p);
}

type Urn = { drawn: number; marked: number; all: number };

/** The chance of `hits` marked ones among `drawn` out of `all`. */
function hypergeometric(hits: number, { drawn, marked, all }: Urn): number {
  if (hits > marked || drawn - hits > all - marked) return 0;
  return Math.exp(logChoose(marked, hits) + logChoose(all - marked, drawn - hits) - logChoose(all, drawn));
}

function logChoose(n: number, k: number): number {
  let log = 0;
  for (let factor = 1; factor <= Math.min(k, n - k); factor += 1) log += Math.log(n - factor + 1) - Math.log(factor);
  return log;
}
