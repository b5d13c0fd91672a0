/** `tandem statistics <run>`: which conclusions the results of an iteration support, with intervals. */
import { readNamedTrace } from '../../evaluation/trial/read-trace.ts';
import { metricLine } from '../../report/run/metric-lines.ts';
import { intervalText } from '../../report/text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { metricReports } from '../../scenario/statistics/metrics.ts';
import { computeStatistics, type Group, type Rate, type Statistics } from '../../scenario/statistics/statistics.ts';
import type { JsonFlag, TextFlags } from '../command-context.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { readIteration } from './read-iteration.ts';
import { describeVerdict, toVerdictJson } from './verdict-line.ts';

export type StatisticsOptions = TextFlags<'iteration'> & JsonFlag;

export async function statisticsCommand(name: string, options: StatisticsOptions, io: Io): Promise<number> {
  const { results, dir } = await readIteration(name, options.iteration, io);
  const tools = new Map<string, string[]>();
  for (const { trace } of results.samples.flatMap(({ trials }) => trials)) {
    const lines = await readNamedTrace(dir, trace);
    tools.set(
      trace,
      lines.flatMap((line) => (line.type === 'call' ? [line.tool] : [])),
    );
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
      .map(({ layer, failed }) => `layer ${layer}: ${failed} trials failed`),
  ];
}

function rateLine(name: string, { value, interval }: Rate): string {
  return `${name} ${formatPercent(value)} (95 % interval ${intervalText(interval)})`;
}

function groupLines(kind: string, groups: readonly Group[]): string[] {
  return groups.map((group) => `${rateLine(`${kind} ${group.key}`, group)}: ${group.passed} of ${group.total} trials`);
}
