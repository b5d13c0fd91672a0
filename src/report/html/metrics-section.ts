/** The numbers of checkers and graders on pages: summarised with intervals, and compared with those of a baseline. */
import type { MetricReport } from '../../scenario/metric.ts';
import type { ComparedMetric } from '../../scenario/statistics/metrics.ts';
import { metricMeanBefore, rangeText } from '../run/metric-lines.ts';
import { plainNumber } from '../text/number-format.ts';
import { html, type Html, table } from './html.ts';

const HEAD = ['checker', 'number', 'mean', '95 % interval', 'before', 'least to most', 'samples', 'trials'];

export function metricsSection(
  metrics: readonly MetricReport[] = [],
  before: readonly MetricReport[] = [],
): Html | undefined {
  if (metrics.length === 0) return undefined;
  const rows = metrics.map((metric) => {
    const { checker, name, mean, interval, min, max, samples, trials } = metric;
    const cells = [
      ...[plainNumber(mean), rangeText(interval), metricMeanBefore(metric, before), rangeText([min, max])],
      ...[samples, trials],
    ];
    return rowOf({ checker, name }, cells);
  });
  return html`<section class="card long" id="metrics">
    <h2>Numbers of checkers and graders</h2>
    <p class="soft small">They decide nothing. Every sample weighs the same.</p>
    ${table({ label: 'Numbers of checkers and graders', kind: '' }, HEAD, rows)}
  </section>`;
}

/** The rows of one side against the baseline. */
export function comparedMetricRows(metrics: readonly ComparedMetric[], side: string): Html[] {
  return metrics.map(({ checker, name, before, now, difference, interval, label }) => {
    const change = `${difference < 0 ? '' : '+'}${plainNumber(difference)}`;
    return rowOf({ checker, name }, [side, plainNumber(before), plainNumber(now), change, rangeText(interval), label]);
  });
}

function rowOf({ checker, name }: { checker: string; name: string }, cells: readonly (string | number)[]): Html {
  return html`<tr>
    <th scope="row"><code>${checker}</code></th>
    <td><code>${name}</code></td>
    ${cells.map((cell) => html`<td>${cell}</td>`)}
  </tr>`;
}
