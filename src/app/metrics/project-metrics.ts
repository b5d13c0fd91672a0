/** Metrics of the project: versions, runs, gates by age, workers and notices. Every process reports the same. */
import { packageVersion } from '../../own-file.ts';
import type { Clock } from '../../ports/run-store.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';
import type { IndexedRun } from '../../run-folder/run-index.ts';
import { seenWorkers } from '../../worker/presence.ts';
import type { GateScheduler } from '../notices/gate-scheduler.ts';
import type { Instrument, Metric, Series, SpanFacts } from '../../ports/telemetry.ts';

export type ProjectMetrics = {
  shared: SharedFiles;
  clock: Clock;
  /** The kind of process: `serve` or `worker`. */
  role: string;
  keeping: Pick<GateScheduler, 'runs' | 'notices'> | undefined;
};

const HOUR_MS = 3_600_000;
/** Upper bounds of age groups; a gate counts in one of them. */
const AGES = [
  ['1h', HOUR_MS],
  ['4h', 4 * HOUR_MS],
  ['1d', 24 * HOUR_MS],
  ['3d', 72 * HOUR_MS],
  ['more', Number.POSITIVE_INFINITY],
] as const;

export async function projectFamilies({ shared, clock, role, keeping }: ProjectMetrics): Promise<MetricFamily[]> {
  const version = { version: packageVersion(), node: process.versions.node, role };
  const workers = Map.groupBy(await seenWorkers(shared, clock), ({ program, isLost }) =>
    JSON.stringify({ version: program, state: isLost ? 'lost' : 'here' }),
  );
  return [
    createGauge('tandem_build_info', 'The version of this process.', [{ value: 1, labels: version }]),
    createGauge(
      'tandem_workers',
      'Workers of this project, by version; lost: silent without having stopped in order.',
      [...workers].map(([labels, some]) => ({
        value: some.length,
        labels: JSON.parse(labels) as Record<string, string>,
      })),
    ),
    ...runFamilies(keeping?.runs(), clock.now().getTime()),
    ...noticeFamilies(keeping?.notices),
  ];
}

function runFamilies(runs: readonly IndexedRun[] | undefined, nowMs: number): MetricFamily[] {
  const byStatus = Map.groupBy(runs ?? [], ({ status }) => status);
  const ages = (runs ?? []).flatMap(({ gate }) => (gate === undefined ? [] : [nowMs - Date.parse(gate.openedAt)]));
  const inAge = (age: number) => AGES.findIndex(([, most]) => age < most);
  return [
    createGauge(
      'tandem_runs',
      'Run folders of this project, by status.',
      [...byStatus].map(([status, some]) => ({ value: some.length, labels: { status } })),
    ),
    createGauge(
      'tandem_gates_waiting',
      'Gates that wait for a person, by how long they have waited at most.',
      runs === undefined
        ? []
        : AGES.map(([age], index) => ({ value: ages.filter((one) => inAge(one) === index).length, labels: { age } })),
    ),
    createGauge(
      'tandem_gate_oldest_seconds',
      'How long the oldest gate has waited; 0 when none does.',
      runs === undefined ? [] : [{ value: Math.max(0, ...ages) / 1000 }],
    ),
  ];
}

function noticeFamilies(notices: GateScheduler['notices']): MetricFamily[] {
  const counts = notices?.counts() ?? [];
  const failing = notices?.failing() ?? [];
  const channels = [...new Set([...counts.map(({ channel }) => channel), ...failing])];
  const of = (isWaiting: boolean) => counts.filter(({ state }) => (state === 'waiting') === isWaiting);
  return [
    createGauge(
      'tandem_notices_waiting',
      'Notices that this process has still to deliver.',
      of(true).map(({ channel, value }) => ({ value, labels: { channel } })),
    ),
    createCounter(
      'tandem_notices_total',
      'Notices that this process has delivered, or given up (refused).',
      of(false).map(({ channel, state, value }) => ({ value, labels: { channel, state } })),
    ),
    createGauge(
      'tandem_notice_channel_failing',
      '1 while a channel takes nothing.',
      channels.map((channel) => ({ value: failing.includes(channel) ? 1 : 0, labels: { channel } })),
    ),
  ];
}

const NAMES: Readonly<Record<Metric, string>> = {
  'gen_ai.client.operation.duration': 'gen_ai_client_operation_duration_seconds',
  'gen_ai.client.token.usage': 'gen_ai_client_token_usage',
  'tandem.cost': 'tandem_cost_usd_total',
  'tandem.context.calls': 'tandem_context_calls_total',
  'tandem.context.changes': 'tandem_context_changes_total',
  'tandem.retries': 'tandem_retries_total',
  'tandem.samples': 'tandem_samples_total',
};

/** Converts the measurements of a process to Prometheus metrics: dots become underscores, the unit and `_total` are added. */
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

type MetricLabels = Readonly<Record<string, string | number | boolean>>;
/** `part` is `_bucket`, `_sum` or `_count` for a histogram. */
type MetricSample = { value: number; labels?: MetricLabels; part?: '_bucket' | '_sum' | '_count' };
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
