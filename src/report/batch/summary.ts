/** The data of a batch report: one row per run, sums by scenario and over all runs. */
import { clusterInterval, averageClusters, type Cluster } from '../../scenario/statistics/cluster-interval.ts';
import { wilsonInterval } from '../../scenario/statistics/score.ts';
import { formatCount } from '../text/number-format.ts';
import { sumLayers } from '../run/layers.ts';
import type { LayerCounts } from '../../scenario/result.ts';
import type { IterationSummary, RunSummary } from '../run/run-summary.ts';
import { shellQuote } from '../text/sanitise.ts';

export type BatchRow = {
  run: string;
  scenario: string;
  title: string;
  /** Path relative to the project. */
  folder: string;
  /** `not_started`: waits for its turn. `unreadable`: `why` says what is wrong. `newer`: made by a later version. */
  status: RunSummary['status'] | 'not_started' | 'unreadable' | 'newer';
  why: string;
  round: number;
  iteration: number;
  /** Rate of the newest evaluated iteration. */
  rate?: { value: number; interval: [number, number]; passed: number; total: number; unscored: number } & Pick<
    IterationSummary,
    'verdict' | 'passedRange' | 'unproven'
  >;
  layers: LayerCounts;
  /** The doubts about the rate, in one line. */
  against?: string;
  usd: number;
  /** The most that failed calls may have cost beyond `usd`; absent means nothing. */
  uncertainUsd?: number;
  calls: number;
  durationMs: number;
  gate?: { id: string; digest: string; openedAt: string };
  simulated: boolean;
  policyActors: string[];
  /** Gaps that the sandbox of the newest evaluation left open. */
  sandboxGaps?: string[];
  /** The exit code of this run by itself. */
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
  /** Runs that ended as succeeded or failed. */
  judged: number;
  met: number;
  /** Interval of the share of judged runs that met their target. */
  metInterval: [number, number];
  /** Mean of the runs' newest rates; its interval resamples whole runs, as samples of one run are alike. */
  mean?: { value: number; interval: [number, number]; low: number; high: number };
  layers: LayerCounts;
  usd: number;
  uncertainUsd?: number;
  calls: number;
};

export function groupByScenario({ rows }: BatchSummary): BatchGroup[] {
  return [...Map.groupBy(rows, ({ scenario }) => scenario)].map(([scenario, own]) => summariseRuns(scenario, own));
}

/** Sums up all runs as one group: for totals, not for a rate to quote. */
export function summariseAllRuns({ rows }: BatchSummary): BatchGroup {
  return summariseRuns('all', rows);
}

function summariseRuns(scenario: string, rows: readonly BatchRow[]): BatchGroup {
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

/** Treats each run as a cluster, because its samples are alike, as the trials of one sample are. */
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

/** Counts every run once. */
export function countRuns({ rows }: BatchSummary): BatchCounts {
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

/** Formats a status for people, with `newer` spelled out. */
export function formatRowStatus({ status }: Pick<BatchRow, 'status'>): string {
  return status === 'newer' ? 'made by a newer Tandem' : status.replaceAll('_', ' ');
}

/** Returns for example `3 met · 1 not met · 2 waiting at a gate`; a status without runs is omitted. */
export function formatRunCounts(counts: BatchCounts): string {
  const parts: readonly (readonly [number, string])[] = [
    [counts.met, 'met'],
    [counts.notMet, 'not met'],
    [counts.waiting, 'waiting at a gate'],
    [counts.stopped, 'stopped'],
    [counts.going, 'not finished'],
  ];
  return parts.flatMap(([number, word]) => (number === 0 ? [] : [`${number} ${word}`])).join(' · ');
}

/** Lists what a reader must know before trusting the numbers. */
export function batchNotes({ rows }: BatchSummary): { title: string; text: string }[] {
  const simulated = rows.filter((row) => row.simulated).length;
  const approved = rows.filter(({ policyActors }) => policyActors.length > 0);
  const policies = [...new Set(approved.flatMap(({ policyActors }) => policyActors))].join(', ');
  const simulation = `In ${formatCount(simulated, 'run')} every model answer came from the offline simulator.`;
  const open = rows.filter(({ sandboxGaps = [] }) => sandboxGaps.length > 0);
  const gaps = [...new Set(open.flatMap(({ sandboxGaps = [] }) => sandboxGaps))].join('; ');
  const walls = `In ${formatCount(open.length, 'run')} generated code was not confined in everything: ${gaps}.`;
  const disputed = rows.filter(({ rate }) => rate?.verdict === 'disputed');
  const doubt = `Whether ${disputed.map(({ run }) => run).join(', ')} met the target depends on doubtful verdicts: read their reports, and settle them by tandem label.`;
  const policy = `In ${formatCount(approved.length, 'run')} gates were answered by ${policies}, not by a person.`;
  const unproven = rows.filter(({ rate }) => rate?.unproven !== undefined);
  const proof = `Rules without a proof keep ${unproven.map(({ run }) => run).join(', ')} from the target: read their reports.`;
  return [
    ...(unproven.length === 0 ? [] : [{ title: 'NOT PROVEN', text: proof }]),
    ...(disputed.length === 0 ? [] : [{ title: 'DISPUTED', text: doubt }]),
    ...(simulated === 0 ? [] : [{ title: 'SIMULATED', text: simulation }]),
    ...(approved.length === 0 ? [] : [{ title: 'NO PERSON APPROVED', text: policy }]),
    ...(open.length === 0 ? [] : [{ title: 'NOT FULLY CONFINED', text: walls }]),
  ];
}

const MOST_COMMANDS = 10;

/** Returns a command for the shell for each decision that is needed. */
export function formatApproveCommands(summary: Pick<BatchSummary, 'batch' | 'rows'>): string[] {
  const waiting = summary.rows.flatMap(({ gate, ...row }) => (gate === undefined ? [] : [{ ...row, ...gate }]));
  // One decision answers the runs of one scenario that wait with the same design.
  const groups = [...Map.groupBy(waiting, ({ scenario, digest }) => `${scenario}\n${digest}`).values()];
  const lines = groups.slice(0, MOST_COMMANDS).flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { run, scenario, digest } = first;
    const what = others.length === 0 ? scenario : `${scenario}: ${others.length + 1} runs with one design`;
    const all = others.length === 0 ? '' : ` --batch ${shellQuote(summary.batch)}`;
    return `tandem gates approve ${shellQuote(run)} --digest ${shellQuote(digest.slice(0, 16))}${all}   # ${what}`;
  });
  return groups.length > MOST_COMMANDS ? [...lines, `# and ${groups.length - MOST_COMMANDS} more designs`] : lines;
}
