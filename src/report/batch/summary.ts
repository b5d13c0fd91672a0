/** Everything that a report says about a batch: one row a run, and what they come to by scenario and all together. */
import { clusterInterval, averageClusters, type Cluster } from '../../scenario/statistics/cluster-interval.ts';
import { wilsonInterval } from '../../scenario/statistics/score.ts';
import { count } from '../text/number-format.ts';
import { sumLayers } from '../run/layers.ts';
import type { LayerCounts } from '../../scenario/result.ts';
import type { RunSummary } from '../run/run-summary.ts';

export type BatchRow = {
  run: string;
  scenario: string;
  title: string;
  /** Relative to the project. */
  folder: string;
  /** `not_started`: its turn has not come. `unreadable`: `why` says what is wrong with it. `newer`: a later version made it. */
  status: RunSummary['status'] | 'not_started' | 'unreadable' | 'newer';
  why: string;
  round: number;
  iteration: number;
  /** Of the newest evaluated iteration. */
  rate?: { value: number; interval: [number, number]; passed: number; total: number; unscored: number };
  layers: LayerCounts;
  usd: number;
  /** What failed calls may have cost beyond `usd`; absent: nothing. */
  uncertainUsd?: number;
  calls: number;
  durationMs: number;
  gate?: { id: string; digest: string; openedAt: string };
  simulated: boolean;
  policyActors: string[];
  /** What the sandbox of the newest evaluation did not confine. */
  sandboxGaps?: string[];
  /** The exit code that this run alone would have had. */
  exit: number;
};

export type BatchSummary = {
  batch: string;
  createdAt: string;
  budgetUsd: number | undefined;
  rows: BatchRow[];
};

export type BatchGroup = {
  scenario: string;
  title: string;
  runs: number;
  /** Runs that came to a verdict of their own: succeeded or failed. */
  judged: number;
  met: number;
  /** Of the share of judged runs that met their target. */
  metInterval: [number, number];
  /** Mean of the runs' newest rates; the interval draws whole runs again, for samples of one run are alike. */
  mean?: { value: number; interval: [number, number]; low: number; high: number };
  layers: LayerCounts;
  usd: number;
  uncertainUsd?: number;
  calls: number;
};

export function batchGroups({ rows }: BatchSummary): BatchGroup[] {
  const names = [...new Set(rows.map(({ scenario }) => scenario))];
  return names.map((scenario) =>
    groupOf(
      scenario,
      rows.filter((row) => row.scenario === scenario),
    ),
  );
}

/** All runs as if they were of one scenario: for totals, not for a rate to quote. */
export function totalOf({ rows }: BatchSummary): BatchGroup {
  return groupOf('all', rows);
}

function groupOf(scenario: string, rows: readonly BatchRow[]): BatchGroup {
  const judged = rows.filter(({ status }) => status === 'succeeded' || status === 'failed').length;
  const met = rows.filter(({ status }) => status === 'succeeded').length;
  const rates = rows.flatMap(({ rate }) =>
    rate === undefined || rate.total === 0 ? [] : [{ mean: rate.value, trials: rate.total }],
  );
  const sum = (of: (row: BatchRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const uncertainUsd = sum((row) => row.uncertainUsd ?? 0);
  return {
    scenario,
    title: rows[0]?.title ?? '',
    runs: rows.length,
    judged,
    met,
    metInterval: wilsonInterval(met, judged),
    ...(rates.length === 0 ? {} : { mean: meanRate(rates) }),
    layers: sumLayers(rows.map((row) => row.layers)),
    usd: sum(({ usd }) => usd),
    ...(uncertainUsd === 0 ? {} : { uncertainUsd }),
    calls: sum(({ calls }) => calls),
  };
}

/** The samples of one run are alike, as the trials of one sample are. */
function meanRate(runs: readonly Cluster[]): NonNullable<BatchGroup['mean']> {
  const rates = runs.map(({ mean }) => mean);
  return {
    value: averageClusters(runs),
    interval: clusterInterval(runs),
    low: Math.min(...rates),
    high: Math.max(...rates),
  };
}

export type BatchCounts = { met: number; notMet: number; waiting: number; stopped: number; going: number };

/** Every run is counted once. */
export function countsOf({ rows }: BatchSummary): BatchCounts {
  const of = (...statuses: readonly BatchRow['status'][]) =>
    rows.filter(({ status }) => statuses.includes(status)).length;
  return {
    met: of('succeeded'),
    notMet: of('failed', 'rejected', 'expired', 'cancelled'),
    waiting: of('awaiting_approval'),
    stopped: of('paused', 'errored', 'unreadable', 'newer'),
    going: of('not_started', 'created', 'designing', 'executing'),
  };
}

/** `newer` as a person reads it. */
export function rowStatus({ status }: Pick<BatchRow, 'status'>): string {
  return status === 'newer' ? 'made by a newer Tandem' : status.replaceAll('_', ' ');
}

/** `3 met · 1 not met · 2 waiting at a gate`; a status without runs is omitted. */
export function countsText(counts: BatchCounts): string {
  const parts: readonly (readonly [number, string])[] = [
    [counts.met, 'met'],
    [counts.notMet, 'not met'],
    [counts.waiting, 'waiting at a gate'],
    [counts.stopped, 'stopped'],
    [counts.going, 'not finished'],
  ];
  return parts.flatMap(([number, word]) => (number === 0 ? [] : [`${number} ${word}`])).join(' · ');
}

/** What a reader must know before believing the numbers. */
export function batchNotes({ rows }: BatchSummary): { title: string; text: string }[] {
  const simulated = rows.filter((row) => row.simulated).length;
  const approved = rows.filter(({ policyActors }) => policyActors.length > 0);
  const policies = [...new Set(approved.flatMap(({ policyActors }) => policyActors))].join(', ');
  const simulation = `In ${count(simulated, 'run')} every model answer came from the offline simulator.`;
  const open = rows.filter(({ sandboxGaps = [] }) => sandboxGaps.length > 0);
  const gaps = [...new Set(open.flatMap(({ sandboxGaps = [] }) => sandboxGaps))].join('; ');
  const walls = `In ${count(open.length, 'run')} generated code was not confined in everything: ${gaps}.`;
  const policy = `In ${count(approved.length, 'run')} gates were answered by ${policies}, not by a person.`;
  return [
    ...(simulated === 0 ? [] : [{ title: 'SIMULATED', text: simulation }]),
    ...(approved.length === 0 ? [] : [{ title: 'NO PERSON APPROVED', text: policy }]),
    ...(open.length === 0 ? [] : [{ title: 'NOT FULLY CONFINED', text: walls }]),
  ];
}
