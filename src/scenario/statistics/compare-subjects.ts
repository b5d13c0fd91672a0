/** Several subjects on the same samples: one row each, and every pair by a paired test, corrected for their number. */
import { z } from 'zod';
import { RATE_EPSILON } from '../percent.ts';
import { SubjectBrief } from '../subject.ts';
import type { Results } from '../result.ts';
import { baselineTallies } from './compare-baseline.ts';
import { clearestWorse, passesWorse, type Pair } from './paired-test.ts';
import { statisticsOf } from './statistics.ts';

const Passed = z.strictObject({ passed: z.int(), total: z.int() });
const Share = z.number().min(0).max(1);

/** One subject over all samples. */
const SubjectRow = z.strictObject({
  name: z.string(),
  passed: z.int(),
  total: z.int(),
  unscored: z.int(),
  successRate: Share,
  /** Wilson's 95 % interval of the success rate. */
  interval: z.tuple([Share, Share]),
  passAtOne: Share,
  costUsd: z.number().nonnegative(),
  simulated: z.boolean(),
  met: z.boolean(),
});
export type SubjectRow = z.infer<typeof SubjectRow>;

const SubjectPair = z.strictObject({
  one: z.string(),
  other: z.string(),
  /** Samples that both were judged on. */
  samples: z.int(),
  /** Mean share of passed trials on those. */
  rates: z.strictObject({ one: Share, other: Share }),
  /** Two-sided and exact, corrected for the number of pairs by Holm. */
  p: Share,
  /** Which is better, where chance alone hardly explains the difference. */
  label: z.enum(['one', 'other', 'no difference shown', 'not enough data']),
});
export type SubjectPair = z.infer<typeof SubjectPair>;

const Compared = z.strictObject({
  subjects: z.array(SubjectRow),
  pairs: z.array(SubjectPair),
  /** Sample -> passed trials by subject, only where the subjects differ. */
  differing: z.record(z.string(), z.record(z.string(), Passed)),
});
export type Compared = z.infer<typeof Compared>;

/** `comparison.json`: written when it begins, so that a killed one goes on; `compared` at its end. */
export const Comparison = z.strictObject({
  version: z.literal(1),
  components: z.string(),
  design: z.string(),
  subjects: z.array(z.strictObject({ name: z.string(), subject: z.union([z.literal('gold'), SubjectBrief]) })).min(2),
  compared: Compared.optional(),
});
export type Comparison = z.infer<typeof Comparison>;

const ALPHA = 0.05;

export function compareSubjects(played: readonly { name: string; results: Results; met: boolean }[]): Compared {
  const tallies = played.map(({ name, results }) => ({ name, of: baselineTallies(results) }));
  const pairs = tallies.flatMap((one, index) => tallies.slice(index + 1).map((other) => pairOf(one, other)));
  const ids = [...new Set(tallies.flatMap(({ of }) => Object.keys(of)))].toSorted();
  const differing = ids.flatMap((id) => {
    const own = tallies.flatMap(({ name, of }) => (of[id] === undefined ? [] : [[name, of[id]] as const]));
    const shares = new Set(own.map(([, { passed, total }]) => passed / total));
    return shares.size > 1 ? [[id, Object.fromEntries(own)] as const] : [];
  });
  return { subjects: played.map(rowOf), pairs: corrected(pairs), differing: Object.fromEntries(differing) };
}

function rowOf({ name, results, met }: { name: string; results: Results; met: boolean }): SubjectRow {
  const { passed, total, unscored, successRate, interval, costUsd, simulated, samples } = results;
  const { passAtOne } = statisticsOf(samples);
  return {
    ...{ name, passed, total, unscored, successRate, interval },
    ...{ passAtOne: passAtOne.value, costUsd, simulated, met },
  };
}

type Named = { name: string; of: ReturnType<typeof baselineTallies> };

function pairOf(one: Named, other: Named): SubjectPair & { clearest: number } {
  const pairs = Object.entries(one.of).flatMap(([id, before]): Pair[] => {
    const now = other.of[id];
    return now === undefined ? [] : [{ before, now }];
  });
  const rate = (side: 'before' | 'now'): number =>
    pairs.reduce((sum, pair) => sum + pair[side].passed / pair[side].total, 0) / Math.max(1, pairs.length);
  const rates = { one: rate('before'), other: rate('now') };
  return {
    ...{ one: one.name, other: other.name, samples: pairs.length, rates },
    p: Math.min(1, 2 * chanceOf(pairs, rates)),
    label: 'no difference shown',
    clearest: 2 * clearestWorse(pairs),
  };
}

/**
 * Of the side with the lower rate to be as bad as it is. The test counts trials and a rate weighs samples: where their
 * numbers of trials are very different the test alone may see the other side behind, and that shows nothing.
 */
function chanceOf(pairs: readonly Pair[], rates: SubjectPair['rates']): number {
  if (Math.abs(rates.one - rates.other) <= RATE_EPSILON) return 1;
  if (rates.other < rates.one) return passesWorse(pairs);
  return passesWorse(pairs.map(({ before, now }) => ({ before: now, now: before })));
}

/** Holm: the smallest p counts as often as there are pairs, the next once less, and none less than the one before it. */
function corrected(pairs: readonly (SubjectPair & { clearest: number })[]): SubjectPair[] {
  const ordered = pairs.toSorted((a, b) => a.p - b.p);
  const found = new Map<SubjectPair, number>();
  let least = 0;
  for (const [index, pair] of ordered.entries()) {
    least = Math.max(least, Math.min(1, pair.p * (pairs.length - index)));
    found.set(pair, least);
  }
  return pairs.map((pair) => {
    const { clearest, ...rest } = pair;
    const p = found.get(pair) ?? pair.p;
    const better = rest.rates.one > rest.rates.other ? 'one' : 'other';
    const label = p < ALPHA ? better : clearest > ALPHA ? 'not enough data' : 'no difference shown';
    return { ...rest, p, label };
  });
}
