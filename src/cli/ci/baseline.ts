/** `--baseline`: is this run worse than an earlier one, by more than chance? */
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HarnessError } from '../../errors.ts';
import {
  Baseline,
  baselineTallies,
  compareWithBaseline,
  type BaselineComparison,
} from '../../scenario/statistics/compare-baseline.ts';
import { fisherWorse } from '../../scenario/statistics/compare-baseline-exact.ts';
import type { Tally } from '../../scenario/statistics/pass-k.ts';
import type { Results } from '../../scenario/result.ts';
import type { Io } from '../io.ts';
import { readIteration } from '../evaluate/read-iteration.ts';

export type BaselineSource = Pick<Baseline, 'run' | 'designDigest' | 'samples'>;
export type BaselineCheck = { label: BaselineComparison['label']; text: string };

const ALPHA = 0.05;

/** A file that `tandem bless` wrote, or a run with results. Read before the work begins, so that a typo costs nothing. */
export async function readBaselineSource(name: string, io: Io): Promise<BaselineSource> {
  const path = resolve(io.cwd, name);
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true || !path.endsWith('.json')) {
    const { results, run } = await readIteration(name, undefined, io);
    return { run, designDigest: results.designDigest, samples: baselineTallies(results) };
  }
  try {
    return Baseline.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    throw new HarnessError('usage', `--baseline ${name}: is neither a run nor a file that tandem bless wrote.`, {
      cause,
    });
  }
}

/** Sample by sample under one design; two designs have other samples, so only their rates are held against each other. */
export function checkAgainstBaseline(held: BaselineSource, results: Results): BaselineCheck {
  const same = held.designDigest === results.designDigest;
  const { label, p, before, now } = same
    ? compareWithBaseline({ ...UNKNOWN, ...held }, results.samples)
    : byRate(passing(held.samples), passing(baselineTallies(results)));
  const how = same ? 'sample by sample' : 'by rate, for the designs differ';
  const rates = `${now.passed} of ${now.total} samples pass, ${before.passed} of ${before.total} in ${held.run}`;
  return { label, text: `${label}: ${rates} (${how}, p ${p.toFixed(3)})` };
}

/** What a comparison does not look at. */
const UNKNOWN = { version: 1, iteration: 1, componentsDigest: '', blessedBy: '', blessedAt: '' } as const;

function passing(samples: Baseline['samples']): Tally {
  const all = Object.values(samples);
  return { passed: all.filter(({ passed, total }) => passed === total).length, total: all.length };
}

function byRate(before: Tally, now: Tally): Omit<BaselineComparison, 'samples'> {
  const p = fisherWorse(before, now);
  const clearest = fisherWorse(before, { passed: 0, total: now.total });
  const label = p <= ALPHA ? 'regression' : clearest > ALPHA ? 'not enough data' : wordOf(before, now);
  return { label, p, before, now };
}

function wordOf(before: Tally, now: Tally): BaselineComparison['label'] {
  if (now.passed * before.total < before.passed * now.total) return 'soft';
  return fisherWorse(now, before) <= ALPHA ? 'better' : 'same';
}
