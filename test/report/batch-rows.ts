/** Rows of a batch for tests. */
import type { BatchRow, BatchSummary } from '../../src/report/batch/summary.ts';

export function batchRow(run: string, parts: Partial<BatchRow> = {}): BatchRow {
  return {
    run,
    scenario: 'refund-desk',
    title: 'Refund desk',
    folder: `scenarios/refund-desk/runs/${run}`,
    status: 'succeeded',
    why: '',
    round: 1,
    iteration: 2,
    rate: { value: 0.9, interval: [0.7, 0.97], passed: 18, total: 20, unscored: 0 },
    layers: { '1': 0, '2': 1, '3': 0, '4': 1 },
    usd: 1.5,
    calls: 100,
    durationMs: 60_000,
    simulated: false,
    policyActors: [],
    exit: 0,
    ...parts,
  };
}

export const GATE = { id: 'HITL-1.r1', digest: '76650678ae61eb5ceb4c', openedAt: '2026-11-20T10:00:00.000Z' };

export const waitingRow = (run: string, parts: Partial<BatchRow> = {}): BatchRow => {
  const { rate: _none, ...row } = batchRow(run, { status: 'awaiting_approval', iteration: 0, gate: GATE, exit: 4 });
  return { ...row, why: 'HITL-1.r1 waits', ...parts };
};

export function batchSummary(rows: readonly BatchRow[], parts: Partial<BatchSummary> = {}): BatchSummary {
  return { batch: 'bat', createdAt: '2026-11-20T10:00:00.000Z', budgetUsd: undefined, rows: [...rows], ...parts };
}
