/** Compares several subjects on the same samples: one row each, and a corrected paired test for each pair. */
import { z } from 'zod';
import { RATE_EPSILON } from '../percent.ts';
import { SubjectBrief } from '../subject.ts';
import type { Results } from '../result.ts';
import { baselineTallies } from './compare-baseline.ts';
import { computeSmallestP, computePairedP, type TallyPair } from './paired-test.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { summariseDoubt, type ResultsVerdict } from './judge-results.ts';
import { computeStatistics } from './statistics.ts';

const Passed = z.strictObject({ passed: z.int(), total: z.int() });
const Share = z.number().min(0).max(1);

/** One subject's results over all samples. */
const SubjectRow = z.strictObject({
  name: z.string(),
  passed: z.int(),
  total: z.int(),
  unscored: z.int(),
  successRate: Share,
  /** The Wilson 95 % interval of the success rate. */
  interval: z.tuple([Share, Share]),
  passAtOne: Share,
  costUsd: z.number().nonnegative(),
  simulated: z.boolean(),
  met: z.boolean(),
  /** Missing in older files, which called results without a verdict `met` or not. */
  verdict: z.enum(['met', 'not met', 'disputed', 'incomplete']).optional(),
  passedRange: z.strictObject({ low: z.int(), high: z.int() }).optional(),
});
export type SubjectRow = z.infer<typeof SubjectRow>;

const SubjectPair = z.strictObject({
  one: z.string(),
  other: z.string(),
  /** The number of samples that both were judged on. */
  samples: z.int(),
  /** The mean share of passed trials on those samples. */
  rates: z.strictObject({ one: Share, other: Share }),
  /** The two-sided exact p, corrected by Holm for the number of pairs. */
  p: Share,
  /** The better subject, if chance alone hardly explains the difference. */
  label: z.enum(['one', 'other', 'no difference shown', 'not enough data']),
});
export type SubjectPair = z.infer<typeof SubjectPair>;

const Compared = z.strictObject({
  subjects: z.array(SubjectRow),
  pairs: z.array(SubjectPair),
  /** Passed trials by subject for each sample on which the subjects differ. */
  differing: z.record(z.string(), z.record(z.string(), Passed)),
});
export type Compared = z.infer<typeof Compared>;

/** The shape of `comparison.json`, written first so that a killed comparison can continue; `compared` at the end. */
export const Comparison = z.strictObject({
  version: z.literal(1),
  components: z.string(),
  design: z.string(),
  subjects: z.array(z.strictObject({ name: z.string(), subject: z.union([z.literal('gold'), SubjectBrief]) })).min(2),
  /** The digest of each subject's identity; missing in older files. */
  identities: z.array(z.string()).optional(),
  compared: Compared.optional(),
});
export type Comparison = z.infer<typeof Comparison>;

const ALPHA = 0.05;

type PlayedSubject = { name: string; results: Results; verdict: ResultsVerdict };

export function compareSubjects(played: readonly PlayedSubject[]): Compared {
  const tallies = played.map(({ name, results }) => ({ name, of: baselineTallies(results) }));
  const pairs = tallies.flatMap((one, index) => tallies.slice(index + 1).map((other) => comparePair(one, other)));
  const ids = [...new Set(tallies.flatMap(({ of }) => Object.keys(of)))].toSorted();
  const differing = ids.flatMap((id) => {
    const own = tallies.flatMap(({ name, of }) => (of[id] === undefined ? [] : [[name, of[id]] as const]));
    const shares = new Set(own.map(([, { passed, total }]) => passed / total));
    return shares.size > 1 ? [[id, Object.fromEntries(own)] as const] : [];
  });
  return { subjects: played.map(toSubjectRow), pairs: correctByHolm(pairs), differing: Object.fromEntries(differing) };
}

function toSubjectRow({ name, results, verdict }: PlayedSubject): SubjectRow {
  const { passed, total, unscored, successRate, interval, costUsd, simulated, samples } = results;
  const { passAtOne } = computeStatistics(samples);
  const { passedRange } = summariseDoubt(results);
  return {
    ...{ name, passed, total, unscored, successRate, interval, ...omitUndefined({ passedRange }) },
    ...{ passAtOne: passAtOne.value, costUsd, simulated, met: verdict === 'met', verdict },
  };
}

type NamedTallies = { name: string; of: ReturnType<typeof baselineTallies> };

function comparePair(one: NamedTallies, other: NamedTallies): SubjectPair & { clearest: number } {
  const pairs = Object.entries(one.of).flatMap(([id, before]): TallyPair[] => {
    const now = other.of[id];
    return now === undefined ? [] : [{ before, now }];
  });
  const rate = (side: 'before' | 'now'): number =>
    pairs.reduce((sum, pair) => sum + pair[side].passed / pair[side].total, 0) / Math.max(1, pairs.length);
  const rates = { one: rate('before'), other: rate('now') };
  return {
    ...{ one: one.name, other: other.name, samples: pairs.length, rates },
    p: Math.min(1, 2 * computeLowerSideP(pairs, rates)),
    label: 'no difference shown',
    clearest: 2 * computeSmallestP(pairs),
  };
}

/**
 * Computes the probability that the side with the lower rate is as bad as it is by chance. The test counts trials but a
 * rate weighs samples: with very unequal numbers of trials, the test alone may find the other side worse.
 */
function computeLowerSideP(pairs: readonly TallyPair[], rates: SubjectPair['rates']): number {
  if (Math.abs(rates.one - rates.other) <= RATE_EPSILON) return 1;
  if (rates.other < rates.one) return computePairedP(pairs);
  return computePairedP(pairs.map(({ before, now }) => ({ before: now, now: before })));
}

/** Corrects by Holm: multiplies the smallest p by the number of pairs, the next by one less, and keeps their order. */
function correctByHolm(pairs: readonly (SubjectPair & { clearest: number })[]): SubjectPair[] {
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
