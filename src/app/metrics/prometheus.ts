/** Metrics in the text format of Prometheus 0.0.4. */

export type MetricLabels = Readonly<Record<string, string | number | boolean>>;
/** `part` is `_bucket`, `_sum` or `_count` for a histogram. */
export type MetricSample = { value: number; labels?: MetricLabels; part?: '_bucket' | '_sum' | '_count' };
export type MetricFamily = {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  about: string;
  samples: readonly MetricSample[];
};

export const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';

/** Announces families without samples too, so that a query for one finds its name. */
export function prometheusText(families: readonly MetricFamily[]): string {
  const lines = families.flatMap(({ name, type, about, samples }) => [
    `# HELP ${name} ${about.replaceAll('\\', '\\\\').replaceAll('\n', ' ')}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ value, labels = {}, part = '' }) => `${name}${part}${labelText(labels)} ${value}`),
  ]);
  return `${lines.join('\n')}\n`;
}

function labelText(labels: MetricLabels): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escapeLabel(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(text: string): string {
  return text.toWellFormed().replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

export const createGauge = (name: string, about: string, samples: readonly MetricSample[]): MetricFamily => ({
  ...{ name, type: 'gauge', about, samples },
});
export const createCounter = (name: string, about: string, samples: readonly MetricSample[]): MetricFamily => ({
  ...{ name, type: 'counter', about, samples },
});
