/** Batch progress: computed from the batch's runs at each call. */
import pLimit from 'p-limit';
import { HarnessError, isHarnessError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { BatchRow, BatchSummary } from '../report/batch/summary.ts';
import { describeAgainst, listReportNotes } from '../report/run/run-outcome.ts';
import { lastResults, type RunSummary } from '../report/run/run-summary.ts';
import type { RunState } from '../run/state.ts';
import { NO_FAILURES } from '../scenario/result.ts';
import type { Batch, BatchRun } from './batch.ts';
import type { ReadDeps } from '../ports/run-store.ts';
import type { BatchStore } from '../ports/batches.ts';
import { summarise } from '../pipeline/summarise.ts';
import { findSnapshot } from '../run-folder/snapshot.ts';

export type BatchExits = { of: (state: RunState) => number; notStarted: number; unreadable: number; newer: number };

/** At most this many run folders are read at the same time. */
const AT_ONCE = 8;

/** Locates the runs of a batch, and maps their states to exit codes. */
export type BatchReader = ReadDeps & { batches: BatchStore; exits: BatchExits };

export async function batchState(
  batch: Batch,
  reader: BatchReader,
  row: (entry: BatchRun) => Promise<BatchRow> = (entry) => batchRow(entry, reader),
): Promise<BatchSummary> {
  const rows = await pLimit(AT_ONCE).map(batch.runs, row);
  return { batch: batch.id, createdAt: batch.createdAt, budgetUsd: batch.budgetUsd, rows };
}

export async function batchRow(entry: BatchRun, { store, batches, exits }: BatchReader): Promise<BatchRow> {
  const notStarted = emptyRow(entry, { status: 'not_started', why: '', exit: exits.notStarted });
  try {
    const run = await store.open(await batches.dirOf(entry));
    const snapshot = await findSnapshot(run);
    // The folder is created before its first event.
    if (snapshot === undefined) return notStarted;
    const { state } = snapshot;
    return filledRow(state, await summarise(run), emptyRow(entry, { status: state.status, exit: exits.of(state) }));
  } catch (error) {
    if (isHarnessError(error, 'not_found')) return notStarted;
    if (!(error instanceof HarnessError)) throw error;
    const status = error.code === 'version_mismatch' ? 'newer' : 'unreadable';
    return emptyRow(entry, { status, why: error.message, exit: exits[status] });
  }
}

function emptyRow(
  entry: BatchRun,
  { status, why = '', exit }: { status: BatchRow['status']; why?: string; exit: number },
): BatchRow {
  return {
    run: entry.run,
    scenario: entry.scenario,
    title: entry.scenario,
    folder: entry.dir,
    status,
    why,
    round: 0,
    iteration: 0,
    layers: NO_FAILURES,
    usd: 0,
    calls: 0,
    durationMs: 0,
    simulated: false,
    policyActors: [],
    exit,
  };
}

function filledRow(state: RunState, summary: RunSummary, row: BatchRow): BatchRow {
  const { title, status, why, spend, durationMs, simulated, policyActors } = summary;
  const last = summary.iterations.at(-1);
  const sandboxGaps = lastResults(summary)?.results.sandboxGaps ?? [];
  return {
    ...row,
    title,
    status,
    why,
    round: state.round,
    iteration: state.iteration,
    ...(last !== undefined && { ...(last.total > 0 && { rate: toBatchRate(last) }), layers: last.layers }),
    usd: spend.usd,
    ...omitUndefined({ uncertainUsd: spend.uncertainUsd, against: describeAgainst(listReportNotes(summary)) }),
    calls: spend.calls,
    durationMs,
    ...pickGate(state),
    simulated,
    policyActors,
    ...(sandboxGaps.length > 0 && { sandboxGaps }),
  };
}

function toBatchRate(last: RunSummary['iterations'][number]): NonNullable<BatchRow['rate']> {
  const { successRate: value, interval, passed, total, unscored, verdict, passedRange, unproven } = last;
  return { value, interval, passed, total, unscored, ...omitUndefined({ verdict, passedRange, unproven }) };
}

function pickGate(state: RunState): Pick<BatchRow, 'gate'> {
  if (state.status !== 'awaiting_approval') return {};
  const { id, digest, openedAt } = state.gate;
  return { gate: { id, digest, openedAt } };
}
