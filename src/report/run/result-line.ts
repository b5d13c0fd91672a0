/** The object that `--json` prints last; its keys are the contract with scripts. */
import type { RunSummary } from './run-summary.ts';

export type ResultLine = {
  run: string;
  folder: string;
  status: RunSummary['status'];
  rounds: number;
  iterations: number;
  /** Rate of the newest iteration; null before the first. */
  successRate: number | null;
  target: number;
  compactions: { init: number; execute: number };
  modelCalls: number;
  /** The certain cost; `uncertainUsd` is the most that failed calls may have cost beyond it. */
  costUsd: number;
  uncertainUsd: number;
  /** The part of `costUsd` that came from batches, and the live price of these calls; absent means none. */
  batches?: { calls: number; usd: number; liveUsd: number };
  simulated: boolean;
  durationMs: number;
};

export function resultLine(summary: RunSummary): ResultLine {
  const { batches } = summary.spend;
  const compactionsOf = (agent: string) => summary.compactions.filter((one) => one.agent === agent).length;
  return {
    run: summary.run,
    folder: summary.folder,
    status: summary.status,
    rounds: summary.rounds.length,
    iterations: summary.iterations.length,
    successRate: summary.iterations.at(-1)?.successRate ?? null,
    target: summary.target,
    compactions: { init: compactionsOf('init'), execute: compactionsOf('execute') },
    modelCalls: summary.spend.calls,
    costUsd: summary.spend.usd,
    uncertainUsd: summary.spend.uncertainUsd ?? 0,
    ...(batches && { batches: { ...batches, liveUsd: batches.usd * 2 } }),
    simulated: summary.simulated,
    durationMs: summary.durationMs,
  };
}
