/** `tandem compare <run>` and `tandem bless`: an iteration against a baseline, sample by sample, and how one becomes it. */
import { basename, join, resolve } from 'node:path';
import { findHome } from '../../config/home.ts';
import { HarnessError, usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Results } from '../../scenario/result.ts';
import { renderComparisonJUnit } from '../../report/run/results-junit.ts';
import { listUnfinished } from '../../report/run/annotations.ts';
import { describeComparison } from '../../report/run/comparison-text.ts';
import { comparedMetricLine } from '../../report/run/metric-lines.ts';
import { formatUsd, formatCount } from '../../report/text/number-format.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { type BaselineComparison, Baseline, toBaseline } from '../../scenario/statistics/compare-baseline.ts';
import { compareWithRolling, addToRolling } from '../../scenario/statistics/rolling-baseline.ts';
import { judgeResults, countUnscored } from '../../scenario/statistics/judge-results.ts';
import type { Tally } from '../../scenario/statistics/pass-k.ts';
import { type JsonFlag, type TextFlags, EXIT, worstExit, type Io, commandActor } from '../command-context.ts';
import { readBaselineSource, type BaselineSource } from '../ci/baseline.ts';
import { reportResults, type ResultsCiOptions } from '../ci/report-results.ts';
import { componentsIn, readIteration } from './read-iteration.ts';
import { describeVerdict, toVerdictJson } from './verdict-line.ts';
import { readFile } from 'node:fs/promises';
import { refuseOutput, writeOutput } from '../../disk/named-output.ts';
import { parseOrNone } from '../../disk/parse-file.ts';
import { parseOptionalCount } from '../parse-numbers.ts';

export type CompareOptions = TextFlags<'baseline' | 'iteration'> &
  JsonFlag &
  ResultsCiOptions & {
    failOn: string;
    /** More results: then the first named is what each of them is compared with. */
    others?: readonly string[];
    /** So many comparisons share the chance of a false alarm. */
    comparisons?: number;
  };

const FAIL_ON: Record<string, readonly BaselineComparison['label'][]> = {
  regression: ['regression'],
  soft: ['regression', 'soft'],
  never: [],
};

export async function compareCommand(name: string, options: CompareOptions, io: Io): Promise<number> {
  const { others = [], ...rest } = options;
  if (others.length === 0) return compareOne(name, options, io);
  if (options.baseline !== undefined) throw usageError('Name either several results or --baseline, not both.');
  if (others.length > 1 && (options.junit ?? options.sarif) !== undefined)
    throw usageError('--junit and --sarif hold one comparison: name two results.');
  const codes: number[] = [];
  const [values, isList]: [string[], boolean] = [[], options.json === true && others.length > 1];
  const each = isList ? { ...io, out: (line: string) => void values.push(line) } : io;
  for (const other of others)
    codes.push(await compareOne(other, { ...rest, baseline: name, comparisons: others.length }, each));
  if (isList) io.out(`[${values.join(',')}]`);
  return worstExit(codes);
}

async function compareOne(name: string, options: CompareOptions, io: Io): Promise<number> {
  const failing = FAIL_ON[options.failOn];
  if (failing === undefined)
    throw usageError(`--fail-on "${options.failOn}": expected ${Object.keys(FAIL_ON).join(', ')}.`);
  let className = parseScenarioName(resolve(io.cwd, name)) ?? basename(name);
  return reportResults(options, { getName: () => className, io }, async () => {
    const { results, dir, run } = await readIteration(name, options.iteration, io);
    const scenario = parseScenarioName(dir);
    className = scenario ?? results.scenario ?? className;
    if (options.baseline === undefined && scenario === undefined)
      throw usageError(`${name}: belongs to no scenario folder; name the file with --baseline <file>.`);
    const file = options.baseline ?? baselineFile(io, scenario ?? '');
    const baseline = await readBaselineSource(file, io, options.baseline === undefined ? 'data_corrupt' : 'usage');
    if (baseline.designDigest !== results.designDigest) {
      const message = `${file} was judged under another design than ${run}: results of two designs are not compared. Bless an iteration of this design: tandem bless ${run}`;
      throw new HarnessError('version_mismatch', message);
    }
    const comparison = compareWithRolling(baseline, results, options.comparisons);
    const subjectChanged = isSubjectChanged(baseline, results);
    const userChanged = describeUserChange(baseline, results);
    const lines = [
      ...compareLines(comparison, baseline, run),
      `  ${describeVerdict(results)}`,
      baseline.costUsd !== undefined && `  ${formatUsd(results.costUsd)} now, ${formatUsd(baseline.costUsd)} then`,
      subjectChanged !== undefined &&
        `  The subject ${subjectChanged ? 'has changed' : 'is the same'} since the baseline`,
      userChanged !== undefined && `  ${userChanged}`,
    ]
      .filter((line) => line !== false)
      .map(terminalText);
    const verdict = judgeResults(results);
    const head = { run, baseline: baseline.run, ...omitUndefined({ costUsdThen: baseline.costUsd }) };
    if (options.json === true)
      io.out(
        JSON.stringify({
          ...{ ...head, text: describeComparison(comparison), ...comparison, ...toVerdictJson(results) },
          ...omitUndefined({ subjectChanged, userChanged }),
        }),
      );
    else for (const line of lines) io.out(line);
    const { label, p } = comparison;
    const isRed = failing.includes(label);
    return {
      code: label === 'incomplete' ? EXIT.infrastructure : isRed ? EXIT.notMet : EXIT.met,
      dir: undefined,
      results: isRed ? [results] : [],
      unfinished: listUnfinished(name, { judged: [{ results }] }),
      components: scenario && (await componentsIn(join(findHome(io.cwd).project, 'scenarios', scenario))),
      junit: renderComparisonJUnit({ className, results, comparison, isRed }),
      markdown: ['```text', ...lines, '```'].join('\n'),
      outputs: { ...head, label, p, verdict, success_rate: results.successRate, target: results.target },
    };
  });
}

/** Undefined when one side does not say which subject it was. */
function isSubjectChanged(baseline: BaselineSource, { subjectDigest }: Results): boolean | undefined {
  if (baseline.subjectDigest === undefined || subjectDigest === undefined) return undefined;
  return baseline.subjectDigest !== subjectDigest;
}

/** Another user, or another reading, may move a rate by more than the subject does; undefined where both sides had the same. */
function describeUserChange(then: Pick<Results, 'user' | 'statements'>, now: Results): string | undefined {
  const name = (one: Results['user']): string =>
    one === undefined ? 'an earlier version' : `${one.version}, chosen by ${one.chooser}`;
  const changes = [
    ...(name(then.user) === name(now.user)
      ? []
      : [`The simulated user is another one: ${name(then.user)} then, ${name(now.user)} now`]),
    // Results from before the version was recorded say nothing of it.
    ...(then.statements === undefined || now.statements === undefined || then.statements === now.statements
      ? []
      : [`What the subject states is read by ${now.statements} now, by ${then.statements} then`]),
  ];
  return changes.length === 0 ? undefined : changes.join('. ');
}

function compareLines(comparison: BaselineComparison, baseline: BaselineSource, run: string): string[] {
  const { before, now, samples, metrics = [] } = comparison;
  const changed = samples.filter((sample) => sample.label !== 'same');
  return [
    describeComparison(comparison),
    `  ${formatTally(now)} samples pass in ${run}, ${formatTally(before)} in ${baseline.run}${baseline.blessedBy === undefined ? '' : ` (blessed by ${baseline.blessedBy})`}`,
    ...changed.map(
      (sample) =>
        `  ${sample.label.padEnd(20)} ${sample.id}: ${formatTally(sample.before)} -> ${formatTally(sample.now)}${sample.p === undefined ? '' : `, p ${sample.p.toFixed(3)}`}`,
    ),
    ...(samples.length === 0 ? [] : [countLine(samples)]),
    ...Object.entries(baseline.rolling?.quarantine ?? {}).map(
      ([id, { owner, since, why }]) => `  ${id} decides nothing since ${since.slice(0, 10)}: ${why}; owner ${owner}`,
    ),
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

function formatTally(tally: Tally | undefined): string {
  return tally === undefined ? 'none' : `${tally.passed} of ${tally.total}`;
}

type BlessOptions = TextFlags<'iteration' | 'comment' | 'out' | 'rolling' | 'owner'> & JsonFlag;

/** The blessed baseline lies next to `scenario.yaml`, because it belongs under version control. */
function baselineFile(io: Io, scenario: string): string {
  return join(findHome(io.cwd).project, 'scenarios', scenario, 'baseline.json');
}

/** Parses the name from `scenarios/<name>/runs/<id>/…` or `scenarios/<name>/evaluations/<n>`. */
export function parseScenarioName(dir: string): string | undefined {
  return /[/\\]scenarios[/\\]([^/\\]+)[/\\](?:runs|evaluations)[/\\]/.exec(dir)?.[1];
}

export async function blessCommand(name: string, options: BlessOptions, io: Io): Promise<number> {
  const { results, dir, run } = await readIteration(name, options.iteration, io);
  const open = countUnscored(results.samples);
  if (open > 0)
    throw usageError(
      `${name}: ${formatCount(open, 'trial')} without a verdict; incomplete results are no baseline. Play what is missing first.`,
    );
  const found = toBaseline(results);
  const { samples } = found;
  if (Object.keys(samples).length === 0)
    throw usageError(`${name}: no sample was judged; there is nothing to hold anybody to.`);
  const scenario = parseScenarioName(dir);
  if (options.out === undefined && scenario === undefined)
    throw usageError(`${name}: belongs to no scenario folder; say where with --out <file>.`);
  const file = options.out === undefined ? baselineFile(io, scenario ?? '') : resolve(io.cwd, options.out);
  const isOwn = (text: string) => parseOrNone(Baseline, text) !== undefined;
  const { project } = findHome(io.cwd);
  const output = { flag: '--out', path: file, project, kind: { called: 'baseline', isOwn } };
  refuseOutput(output);
  const most = parseOptionalCount('--rolling', options.rolling);
  const earlier = most === undefined ? undefined : parseOrNone(Baseline, await readFile(file, 'utf8').catch(() => ''));
  // Results of other components or another design say nothing about these samples.
  const isSame = earlier?.designDigest === found.designDigest && earlier.componentsDigest === found.componentsDigest;
  const at = new Date().toISOString();
  const owner = options.owner ?? commandActor(io);
  const baseline: Baseline = {
    version: 1,
    run,
    iteration: results.iteration,
    blessedBy: commandActor(io),
    blessedAt: at,
    ...(options.comment === undefined ? {} : { comment: options.comment }),
    ...found,
    ...(most !== undefined && {
      rolling: addToRolling(isSame ? earlier.rolling : undefined, { run, at, samples }, { most, owner }),
    }),
  };
  await writeOutput(output, `${JSON.stringify(baseline, null, 2)}\n`);
  const verdict = judgeResults(results);
  if (options.json === true) io.out(JSON.stringify({ file, samples: Object.keys(samples).length, verdict }));
  else io.out(`Blessed iteration ${results.iteration} of ${run}: ${Object.keys(samples).length} samples in ${file}`);
  if (options.json !== true) io.out(describeVerdict(results));
  return EXIT.met;
}
