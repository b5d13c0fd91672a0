/** `tandem statistics <run>` and `tandem plan samples`: what results support, and how many samples a target needs. */
import { readNamedTrace } from '../../evaluation/trial/read-trace.ts';
import { metricLine } from '../../report/run/metric-lines.ts';
import { findLayer } from '../../report/run/layers.ts';
import { formatCount, intervalText } from '../../report/text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { metricReports } from '../../scenario/statistics/metrics.ts';
import { computeStatistics, type Group, type Rate, type Statistics } from '../../scenario/statistics/statistics.ts';
import { type JsonFlag, type TextFlags, EXIT, type Io } from '../command-context.ts';
import { readIteration } from './read-iteration.ts';
import { describeVerdict, toVerdictJson } from './verdict-line.ts';
import { usageError } from '../../errors.ts';
import { samplesNeeded } from '../../scenario/statistics/plan-samples.ts';

export type StatisticsOptions = TextFlags<'iteration'> & JsonFlag;

export async function statisticsCommand(name: string, options: StatisticsOptions, io: Io): Promise<number> {
  const { results, dir } = await readIteration(name, options.iteration, io);
  const tools = new Map<string, string[]>();
  for (const { trace } of results.samples.flatMap(({ trials }) => trials)) {
    const lines = await readNamedTrace(dir, trace);
    const called = lines.flatMap((line) => (line.type === 'call' ? [line.tool] : []));
    tools.set(trace, called);
  }
  const found = computeStatistics(results.samples, { toolsOf: (_, { trace }) => tools.get(trace) ?? [] });
  const metrics = metricReports(results.samples);
  if (options.json === true)
    io.out(JSON.stringify({ ...toVerdictJson(results), ...found, ...(metrics.length > 0 && { metrics }) }));
  else
    for (const line of [describeVerdict(results), ...statisticsLines(found), ...metrics.map(metricLine)])
      io.out(terminalText(line));
  return EXIT.met;
}

function statisticsLines(found: Statistics): string[] {
  const powers = found.passK.map((value, index) => `pass^${index + 1} ${value.toFixed(4)}`).join('  ');
  return [
    `${found.samples} samples, ${found.trials} trials, ${found.unscored} unscored`,
    rateLine('all trials passed', found.passAll),
    rateLine('pass@1', found.passAtOne),
    ...(powers === '' ? [] : [powers]),
    rateLine('flip rate', found.flipRate),
    ...groupLines('category', found.byCategory),
    ...groupLines('rule', found.byRule),
    ...groupLines('tool', found.byTool),
    ...found.byLayer
      .filter(({ failed }) => failed > 0)
      .map(
        ({ layer, failed }) =>
          `${formatCount(failed, 'trial')} failed by layer ${layer} (${findLayer({ layer })?.name})`,
      ),
  ];
}

function rateLine(name: string, { value, interval }: Rate): string {
  return `${name} ${formatPercent(value)} (95 % interval ${intervalText(interval)})`;
}

function groupLines(kind: string, groups: readonly Group[]): string[] {
  return groups.map((group) => `${rateLine(`${kind} ${group.key}`, group)}: ${group.passed} of ${group.total} trials`);
}

const FAILURES = [0, 1, 2, 3, 5, 8, 12, 18, 27];

/** `tandem plan samples`: how many samples a target needs before its lower bound can be trusted. */
export function planSamplesCommand(options: JsonFlag & { target: string }, io: Io): number {
  const target = parseTarget(options.target);
  const needed = samplesNeeded(target, FAILURES);
  if (options.json === true) io.out(JSON.stringify({ target, needed }));
  else {
    io.out(`The lower bound of the 95 % interval (Wilson) reaches ${formatPercent(target)} with at least:`);
    for (const one of needed) io.out(`  ${one.passes} of ${one.samples} passed (${one.failures} failed)`);
  }
  return EXIT.met;
}

function parseTarget(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value < 1) return value;
  throw usageError(`--target "${text}": expected a share between 0 and 1, such as 0.85.`);
}
