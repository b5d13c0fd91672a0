/** `tandem compare <run>`: an iteration against a blessed baseline, sample by sample. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HarnessError, usageError } from '../../errors.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { comparedMetricLine } from '../../report/run/metric-lines.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { Baseline, compareWithBaseline, type BaselineComparison } from '../../scenario/statistics/compare-baseline.ts';
import type { Tally } from '../../scenario/statistics/pass-k.ts';
import { baselineFile, parseScenarioName } from './bless.ts';
import type { JsonFlag, TextFlags } from '../command-context.ts';
import { EXIT } from '../exit-code.ts';
import { parseStrictJson } from '../../parse-json.ts';
import type { Io } from '../io.ts';
import { readIteration } from './read-iteration.ts';

export type CompareOptions = TextFlags<'baseline' | 'iteration'> & JsonFlag & { failOn: string };

const FAIL_ON: Record<string, readonly BaselineComparison['label'][]> = {
  regression: ['regression'],
  soft: ['regression', 'soft'],
  never: [],
};

export async function compareCommand(name: string, options: CompareOptions, io: Io): Promise<number> {
  const failing = FAIL_ON[options.failOn];
  if (failing === undefined)
    throw usageError(`--fail-on "${options.failOn}": expected ${Object.keys(FAIL_ON).join(', ')}.`);
  const { results, dir, run } = await readIteration(name, options.iteration, io);
  const scenario = parseScenarioName(dir);
  if (options.baseline === undefined && scenario === undefined)
    throw usageError(`${name}: belongs to no scenario folder; name the file with --baseline <file>.`);
  const file = options.baseline === undefined ? baselineFile(io, scenario ?? '') : resolve(io.cwd, options.baseline);
  const baseline = await readBaseline(file);
  if (baseline.designDigest !== results.designDigest) {
    const [was, is] = [baseline.designDigest.slice(0, 12), results.designDigest.slice(0, 12)];
    const message = `${file} was blessed under design ${was}, ${run} was judged under ${is}: results of two designs are not compared. Bless an iteration of this design: tandem bless ${run}`;
    throw new HarnessError('version_mismatch', message);
  }
  const comparison = compareWithBaseline(baseline, results);
  if (options.json === true) io.out(JSON.stringify({ run, baseline: baseline.run, ...comparison }));
  else for (const line of compareLines(comparison, baseline, run)) io.out(terminalText(line));
  return failing.includes(comparison.label) ? EXIT.notMet : EXIT.met;
}

async function readBaseline(file: string): Promise<Baseline> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) {
    throw new HarnessError('not_found', `${file}: there is no baseline yet. A person makes one: tandem bless <run>`);
  }
  const read = parseStrictJson(text);
  if (!read.ok) throw new HarnessError('data_corrupt', `${file}:${read.line}: ${read.fault}.`);
  const parsed = Baseline.safeParse(read.value);
  if (parsed.success) return parsed.data;
  throw new HarnessError('data_corrupt', `${file}: is no baseline. Make it anew: tandem bless <run>`, {
    cause: parsed.error,
  });
}

function compareLines(
  { label, p, before, now, rates, detects, because, samples, metrics = [] }: BaselineComparison,
  baseline: Baseline,
  run: string,
): string[] {
  const changed = samples.filter((sample) => sample.label !== 'same');
  return [
    `${label}: ${formatTally(now)} samples pass in ${run}, ${formatTally(before)} in ${baseline.run} (blessed by ${baseline.blessedBy})`,
    `  ${formatPercent(rates.now)} of the trials pass, ${formatPercent(rates.before)} then; p ${p.toFixed(3)}`,
    because === undefined ? powerLine(detects) : `  Only the two rates are compared: ${because}.`,
    ...changed.map(
      (sample) =>
        `  ${sample.label.padEnd(20)} ${sample.id}: ${formatTally(sample.before)} -> ${formatTally(sample.now)}${sample.p === undefined ? '' : `, p ${sample.p.toFixed(3)}`}`,
    ),
    ...(changed.length === samples.length || because !== undefined
      ? []
      : [`  ${samples.length - changed.length} samples are the same`]),
    ...metrics.map((metric) => `  ${comparedMetricLine(metric)}`),
  ];
}

function powerLine(detects: number | undefined): string {
  if (detects === undefined)
    return '  Too few trials to find any drop: make more samples or trials (tandem plan samples).';
  return `  Found in four of five comparisons: a drop of the trial rate by ${formatPercent(detects)} or more`;
}

function formatTally(tally: Tally | undefined): string {
  return tally === undefined ? 'none' : `${tally.passed} of ${tally.total}`;
}
