/** Renders the numbers of checkers and graders on pages, with intervals and compared with a baseline. */
import type { MetricReport } from '../../scenario/metric.ts';
import type { ComparedMetric } from '../../scenario/statistics/metrics.ts';
import { differenceText, metricsTable, rangeText } from '../run/metric-lines.ts';
import { plainNumber } from '../text/number-format.ts';
import { html, type Html, renderReportTable, renderTableRow } from './html.ts';

export function metricsSection(
  metrics: readonly MetricReport[] = [],
  before: readonly MetricReport[] = [],
): Html | undefined {
  if (metrics.length === 0) return undefined;
  return html`<section class="card long screen-only" id="metrics">
    <h2>Numbers of checkers and graders</h2>
    <p class="soft small">They decide nothing. Every sample weighs the same.</p>
    ${renderReportTable(metricsTable(metrics, before), '')}
  </section>`;
}

/** Renders the rows of one side compared with the baseline. */
export function comparedMetricRows(metrics: readonly ComparedMetric[], side: string): Html[] {
  return metrics.map(({ checker, name, before, now, interval, label, ...metric }) =>
    renderTableRow([
      ...[html`<code>${checker}</code>`, html`<code>${name}</code>`, side, plainNumber(before), plainNumber(now)],
      ...[differenceText(metric), rangeText(interval), label],
    ]),
  );
}
