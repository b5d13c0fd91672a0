/** `--baseline`: checks whether this run is worse than an earlier one by more than chance. */
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { readNamedText } from '../../disk/read-named-file.ts';
import { HarnessError, isHarnessError, usageError } from '../../errors.ts';
import { Baseline, toBaseline, type BaselineComparison } from '../../scenario/statistics/compare-baseline.ts';
import { describeComparison } from '../../report/run/comparison-text.ts';
import { formatCount } from '../../report/text/number-format.ts';
import { countUnscored } from '../../scenario/statistics/judge-results.ts';
import type { Results } from '../../scenario/result.ts';
import { compareWithRolling } from '../../scenario/statistics/rolling-baseline.ts';
import { parseStrictJson } from '../../parse-json.ts';
import type { Io } from '../command-context.ts';
import { readIteration } from '../evaluate/read-iteration.ts';

export type BaselineSource = Pick<Baseline, 'run' | 'designDigest' | 'componentsDigest' | 'samples'> &
  Partial<Pick<Baseline, 'metrics' | 'subjectDigest' | 'user' | 'blessedBy' | 'rolling'>> &
  Partial<Pick<Results, 'costUsd'>>;
export type BaselineCheck = { label: BaselineComparison['label']; text: string };

const NO_BASELINE = 'is neither a run nor a file that tandem bless wrote. Make it anew: tandem bless <run>';

/** Reads a file of `tandem bless` or a run with results, before the work begins, so that a typo costs nothing. */
export async function readBaselineSource(
  name: string,
  io: Io,
  fault: 'usage' | 'data_corrupt' = 'usage',
): Promise<BaselineSource> {
  const path = resolve(io.cwd, name);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined && path.endsWith('.json'))
    throw new HarnessError('not_found', `${path}: there is no baseline yet. A person makes one: tandem bless <run>`);
  if (found?.isFile() !== true || !path.endsWith('.json') || basename(path) === 'results.json') {
    const { results, run } = await readIteration(name, undefined, io).catch((error: unknown) => {
      if (found?.isFile() !== true || !isHarnessError(error, 'data_corrupt')) throw error;
      throw new HarnessError(fault, `--baseline ${name}: ${NO_BASELINE}`, { cause: error });
    });
    const open = countUnscored(results.samples);
    if (open === 0) return { run, costUsd: results.costUsd, ...toBaseline(results) };
    throw usageError(`${name}: ${formatCount(open, 'trial')} without a verdict; incomplete results are no baseline.`);
  }
  const read = parseStrictJson(await readNamedText(path, name));
  if (!read.ok) throw new HarnessError(fault, `--baseline ${name}:${read.line}: ${read.fault}: it ${NO_BASELINE}`);
  const parsed = Baseline.safeParse(read.value);
  if (parsed.success) return parsed.data;
  throw new HarnessError(fault, `--baseline ${name}: ${NO_BASELINE}`, { cause: parsed.error });
}

/** Compares the pass rates of trials: with more trials per sample, a sample is more likely to fail in one of them. */
export function checkAgainstBaseline(held: BaselineSource, results: Results): BaselineCheck {
  const comparison = compareWithRolling(held, results);
  return { label: comparison.label, text: describeComparison(comparison) };
}
