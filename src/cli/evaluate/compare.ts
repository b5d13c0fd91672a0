/** `tandem compare <run>`: an iteration against a blessed baseline, sample by sample. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HarnessError, usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Results } from '../../scenario/result.ts';
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
  const subjectChanged = isSubjectChanged(baseline, results);
  const userChanged = describeUserChange(baseline, results);
  if (options.json === true)
    io.out(
      JSON.stringify({ run, baseline: baseline.run, ...comparison, ...omitUndefined({ subjectChanged, userChanged }) }),
    );
  else {
    for (const line of compareLines(comparison, baseline, run)) io.out(terminalText(line));
    if (subjectChanged !== undefined)
      io.out(`  The subject ${subjectChanged ? 'has changed' : 'is the same'} since the baseline`);
    if (userChanged !== undefined) io.out(terminalText(`  ${userChanged}`));
  }
  if (comparison.label === 'incomplete') return EXIT.infrastructure;
  return failing.includes(comparison.label) ? EXIT.notMet : EXIT.met;
}

/** Undefined when one side does not say which subject it was. */
function isSubjectChanged(baseline: Baseline, { subjectDigest }: Results): boolean | undefined {
  if (baseline.subjectDigest === undefined || subjectDigest === undefined) return undefined;
  return baseline.subjectDigest !== subjectDigest;
}

/** Another user may move a rate by more than the subject does; undefined where both sides had the same one. */
function describeUserChange(baseline: Baseline, { user }: Results): string | undefined {
  const name = (one: Results['user']): string =>
    one === undefined ? 'an earlier version' : `${one.version}, chosen by ${one.chooser}`;
  if (name(baseline.user) === name(user)) return undefined;
  return `The simulated user is another one: ${name(baseline.user)} then, ${name(user)} now`;
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
  { label, p, before, now, rates, because, samples, metrics = [], ...rest }: BaselineComparison,
  baseline: Baseline,
  run: string,
): string[] {
  const changed = samples.filter((sample) => sample.label !== 'same');
  return [
    `${label}: ${formatTally(now)} samples pass in ${run}, ${formatTally(before)} in ${baseline.run} (blessed by ${baseline.blessedBy})`,
    `  ${formatPercent(rates.now)} of the trials pass, ${formatPercent(rates.before)} then; p ${p.toFixed(3)}`,
    because === undefined ? powerLine(rest.detects) : `  Only the two rates are compared: ${because}.`,
    ...(rest.lostTarget === undefined
      ? []
      : [`  The target of ${formatPercent(rest.lostTarget)} was met, and is missed by more than chance.`]),
    ...changed.map(
      (sample) =>
        `  ${sample.label.padEnd(20)} ${sample.id}: ${formatTally(sample.before)} -> ${formatTally(sample.now)}${sample.p === undefined ? '' : `, p ${sample.p.toFixed(3)}`}`,
    ),
    ...(samples.length === 0 ? [] : [countLine(samples)]),
    ...metrics.map((metric) => `  ${comparedMetricLine(metric)}`),
  ];
}

/** Counts what got worse, got better and stayed, so that one headline says the same as the lines below it. */
function countLine(samples: BaselineComparison['samples']): string {
  const worse = samples.filter(({ before, now }) => getShare(now) < getShare(before)).length;
  const better = samples.filter(({ label }) => label === 'better').length;
  const same = samples.filter(({ label }) => label === 'same').length;
  return `  ${worse} worse, ${better} better, ${same} the same`;
}

/** NaN without a trial, which compares as neither less nor more. */
function getShare(tally: Tally | undefined): number {
  return tally === undefined ? Number.NaN : tally.passed / tally.total;
}

function powerLine(detects: number | undefined): string {
  if (detects === undefined)
    return '  Too few trials to find any drop: make more samples or trials (tandem plan samples).';
  return `  Found in four of five comparisons: a drop of the trial rate by ${formatPercent(detects)} or more`;
}

function formatTally(tally: Tally | undefined): string {
  return tally === undefined ? 'none' : `${tally.passed} of ${tally.total}`;
}
