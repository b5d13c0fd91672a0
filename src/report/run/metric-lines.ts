/** The numbers of checkers and graders in a report, alone and compared with earlier ones. */
import type { MetricReport } from '../../scenario/metric.ts';
import type { ComparedMetric } from '../../scenario/statistics/metrics.ts';
import { type ReportTable, tableMarkdown } from '../text/markdown.ts';
import { formatCount, plainNumber } from '../text/number-format.ts';

/** Adds the earlier mean of each metric, where `before` has it. */
export function metricsTable(metrics: readonly MetricReport[], before: readonly MetricReport[] = []): ReportTable {
  const meanBefore = ({ checker, name }: MetricReport) =>
    before.find((one) => one.checker === checker && one.name === name)?.mean;
  return {
    label: 'Numbers of checkers and graders',
    head: ['checker', 'number', 'mean', '95 % interval', 'before', 'least to most', 'samples', 'trials'],
    rows: metrics.map((metric) => [
      ...[{ code: metric.checker }, { code: metric.name }, plainNumber(metric.mean), rangeText(metric.interval)],
      ...[plainOr(meanBefore(metric)), rangeText([metric.min, metric.max]), metric.samples, metric.trials],
    ]),
  };
}

export function metricsMarkdown(metrics: readonly MetricReport[], before: readonly MetricReport[] = []): string[] {
  if (metrics.length === 0) return [];
  return ['## Numbers of checkers and graders, which decide nothing', tableMarkdown(metricsTable(metrics, before))];
}

export function metricLine({ checker, name, mean, interval, samples, trials }: MetricReport): string {
  const from = interval === undefined ? 'too few samples for an interval' : `95 % interval ${rangeText(interval)}`;
  return `${checker}.${name} ${plainNumber(mean)} (${from}): ${formatCount(trials, 'trial')} of ${formatCount(samples, 'sample')}`;
}

export function comparedMetricLine(metric: ComparedMetric): string {
  const { checker, name, before, now, interval, label } = metric;
  const from = interval === undefined ? '' : `, 95 % interval ${rangeText(interval)}`;
  return `${label.padEnd(20)} ${checker}.${name}: ${plainNumber(before)} -> ${plainNumber(now)} (${differenceText(metric)}${from})`;
}

/** Returns for example `+0.25`. */
export function differenceText({ difference }: Pick<ComparedMetric, 'difference'>): string {
  return `${difference < 0 ? '' : '+'}${plainNumber(difference)}`;
}

export function rangeText(range: readonly [number, number] | undefined): string {
  return range === undefined ? plainOr(undefined) : range.map(plainNumber).join(' to ');
}

function plainOr(value: number | undefined): string {
  return value === undefined ? '–' : plainNumber(value);
}
