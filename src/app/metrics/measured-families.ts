/** Converts the measurements of a process to Prometheus metrics: dots become underscores, the unit and `_total` are added. */
import type { Instrument, Metric, Series, SpanFacts } from '../../ports/telemetry.ts';
import type { MetricFamily, MetricLabels, MetricSample } from './prometheus.ts';

const NAMES: Readonly<Record<Metric, string>> = {
  'gen_ai.client.operation.duration': 'gen_ai_client_operation_duration_seconds',
  'gen_ai.client.token.usage': 'gen_ai_client_token_usage',
  'tandem.cost': 'tandem_cost_usd_total',
  'tandem.context.calls': 'tandem_context_calls_total',
  'tandem.context.changes': 'tandem_context_changes_total',
  'tandem.retries': 'tandem_retries_total',
  'tandem.samples': 'tandem_samples_total',
};

export function measuredFamilies(instruments: readonly Instrument[]): MetricFamily[] {
  return Object.entries(NAMES).map(([metric, name]) => {
    const found = instruments.find((one) => one.name === metric);
    const isHistogram = metric.startsWith('gen_ai.');
    const samples = (found?.series ?? []).flatMap((one) =>
      isHistogram ? toHistogram(one, found?.bounds ?? []) : [{ value: one.sum, labels: toLabels(one.facts) }],
    );
    return { name, type: isHistogram ? 'histogram' : 'counter', about: found?.about ?? ABOUT, samples };
  });
}

const ABOUT = 'Nothing of it has happened in this process yet.';

function toHistogram({ facts, buckets, sum, count }: Series, bounds: readonly number[]): MetricSample[] {
  const labels = toLabels(facts);
  let below = 0;
  const counted = bounds.map((bound, index): MetricSample => {
    below += buckets[index] ?? 0;
    return { part: '_bucket', value: below, labels: { ...labels, le: bound } };
  });
  return [
    ...counted,
    { part: '_bucket', value: count, labels: { ...labels, le: '+Inf' } },
    { part: '_sum', value: sum, labels },
    { part: '_count', value: count, labels },
  ];
}

function toLabels(facts: SpanFacts): MetricLabels {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([key, value]) =>
      value === undefined ? [] : [[key.replaceAll('.', '_'), typeof value === 'object' ? value.join(',') : value]],
    ),
  );
}
