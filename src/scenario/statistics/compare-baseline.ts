/** Compares a result with a blessed one, sample by sample: what got worse, and whether the trials suffice to say so. */
import { z } from 'zod';
import { omitUndefined } from '../../omit-undefined.ts';
import { fisherWorse, mcnemarWorse } from './compare-baseline-exact.ts';
import type { Tally } from './pass-k.ts';
import { tallyOf } from './score.ts';
import type { Results, SampleResult } from '../result.ts';

/** What `tandem bless` writes: a person accepted these numbers as the baseline. */
export const Baseline = z.strictObject({
  version: z.literal(1),
  run: z.string(),
  iteration: z.int().positive(),
  designDigest: z.string(),
  componentsDigest: z.string(),
  blessedBy: z.string(),
  blessedAt: z.string(),
  comment: z.string().optional(),
  samples: z.record(z.string(), z.strictObject({ passed: z.int().nonnegative(), total: z.int().positive() })),
});
export type Baseline = z.infer<typeof Baseline>;

export type ComparedLabel =
  | 'regression' // worse, and chance alone hardly explains it
  | 'soft' // worse, but chance could explain it
  | 'flaky' // always passed before, now only sometimes
  | 'unreliable baseline' // worse than a baseline that itself failed too often
  | 'not enough data' // worse, and with so few trials no change of this sample could ever be shown
  | 'same'
  | 'better'
  | 'new' // not in the baseline
  | 'gone'; // in the baseline only

export type ComparedSample = { id: string; label: ComparedLabel; before?: Tally; now?: Tally; p?: number };

export type BaselineComparison = {
  /** The whole set; `p` is McNemar's over the samples that both sides have. */
  label: Extract<ComparedLabel, 'regression' | 'soft' | 'not enough data' | 'same' | 'better'>;
  p: number;
  before: Tally;
  now: Tally;
  samples: ComparedSample[];
};

const ALPHA = 0.05;
/** A baseline that passed a smaller share of its own trials says little when a trial fails now. */
const RELIABLE = 0.8;

/** Contract: both sides are of one design; the caller refuses others. */
export function compareWithBaseline(baseline: Baseline, samples: readonly SampleResult[]): BaselineComparison {
  const now = new Map(samples.map((sample) => [sample.id, tallyOf(sample)]));
  const ids = [...new Set([...Object.keys(baseline.samples), ...now.keys()])].toSorted();
  const compared = ids.map((id) => compareOne(id, baseline.samples[id], now.get(id)));
  return { ...compareWhole(compared), samples: compared };
}

/** The tallies of a baseline; samples without a judged trial are left out. */
export function baselineTallies({ samples }: Results): Baseline['samples'] {
  const tallies = samples.map((sample) => [sample.id, tallyOf(sample)] as const);
  return Object.fromEntries(tallies.filter(([, { total }]) => total > 0));
}

function compareOne(id: string, before: Tally | undefined, now: Tally | undefined): ComparedSample {
  if (before === undefined) return { id, label: 'new', ...omitUndefined({ now }) };
  if (now === undefined || now.total === 0)
    return { id, label: now === undefined ? 'gone' : 'not enough data', before };
  return { id, ...labelOf(before, now), before, now };
}

function labelOf(before: Tally, now: Tally): { label: ComparedLabel; p?: number } {
  const [was, is] = [before.passed / before.total, now.passed / now.total];
  if (is === was) return { label: 'same' };
  if (is > was) {
    const p = fisherWorse(now, before);
    return { label: p <= ALPHA ? 'better' : 'same', p };
  }
  const p = fisherWorse(before, now);
  const clearest = fisherWorse({ passed: before.total, total: before.total }, { passed: 0, total: now.total });
  if (clearest > ALPHA) return { label: 'not enough data', p };
  if (was < RELIABLE) return { label: 'unreliable baseline', p };
  if (p <= ALPHA) return { label: 'regression', p };
  return { label: was === 1 && now.passed > 0 ? 'flaky' : 'soft', p };
}

function compareWhole(samples: readonly ComparedSample[]): Omit<BaselineComparison, 'samples'> {
  const both = samples.flatMap(({ before, now }) => (before && now && now.total > 0 ? [{ before, now }] : []));
  const passes = ({ passed, total }: Tally): boolean => passed === total;
  const before = { passed: both.filter((pair) => passes(pair.before)).length, total: both.length };
  const now = { passed: both.filter((pair) => passes(pair.now)).length, total: both.length };
  const worse = both.filter((pair) => passes(pair.before) && !passes(pair.now)).length;
  const better = both.filter((pair) => !passes(pair.before) && passes(pair.now)).length;
  const p = mcnemarWorse(better, worse);
  const label = wholeLabel({ better, worse, p, common: both.length });
  // One sample that surely got worse is a regression, whatever the others do; of a hundred, five look so by chance alone.
  const surely = samples.some((sample) => sample.label === 'regression' && (sample.p ?? 1) <= ALPHA / both.length);
  return { label: surely ? 'regression' : label, p, before, now };
}

function wholeLabel(found: { better: number; worse: number; p: number; common: number }): BaselineComparison['label'] {
  const { better, worse, p, common } = found;
  if (common === 0 || (worse > better && mcnemarWorse(0, common) > ALPHA)) return 'not enough data';
  if (worse > better) return p <= ALPHA ? 'regression' : 'soft';
  if (better === worse) return 'same';
  return mcnemarWorse(worse, better) <= ALPHA ? 'better' : 'same';
}
