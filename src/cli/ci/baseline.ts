/** `--baseline`: is this run worse than an earlier one, by more than chance? */
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { usageError } from '../../errors.ts';
import {
  Baseline,
  baselineOf,
  compareWithBaseline,
  type BaselineComparison,
} from '../../scenario/statistics/compare-baseline.ts';
import { percent } from '../../scenario/percent.ts';
import type { Results } from '../../scenario/result.ts';
import type { Io } from '../io.ts';
import { readIteration } from '../evaluate/read-iteration.ts';

export type BaselineSource = Pick<Baseline, 'run' | 'designDigest' | 'componentsDigest' | 'samples' | 'metrics'>;
export type BaselineCheck = { label: BaselineComparison['label']; text: string };

/** A file that `tandem bless` wrote, or a run with results. Read before the work begins, so that a typo costs nothing. */
export async function readBaselineSource(name: string, io: Io): Promise<BaselineSource> {
  const path = resolve(io.cwd, name);
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true || !path.endsWith('.json')) {
    const { results, run } = await readIteration(name, undefined, io);
    return { run, ...baselineOf(results) };
  }
  try {
    return Baseline.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    throw usageError(`--baseline ${name}: is neither a run nor a file that tandem bless wrote.`, {
      cause,
    });
  }
}

/** The rates that are compared are those of trials: a sample that is tried more often fails more often in some trial. */
export function checkAgainstBaseline(held: BaselineSource, results: Results): BaselineCheck {
  const { label, p, before, now, rates, by, because } = compareWithBaseline(held, results);
  const how = by === 'sample' ? 'sample by sample' : `by rate, for ${because}`;
  const passing = `${now.passed} of ${now.total} samples pass, ${before.passed} of ${before.total} in ${held.run}`;
  const trials = `${percent(rates.now)} of the trials, ${percent(rates.before)} then`;
  return { label, text: `${label}: ${passing} (${how}, p ${p.toFixed(3)}; ${trials})` };
}
