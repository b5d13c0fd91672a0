/** Metrics of the project: versions, runs, gates by age, workers and notices. Every process reports the same. */
import { packageVersion } from '../../own-file.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';
import type { IndexedRun } from '../../run-folder/run-index.ts';
import { seenWorkers } from '../../worker/presence.ts';
import type { GateScheduler } from '../notices/gate-scheduler.ts';
import { createCounter, createGauge, type MetricFamily } from './prometheus.ts';

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
