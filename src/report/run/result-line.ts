/** The object that `--json` prints last; its keys are the contract with scripts. */
import { omitUndefined } from '../../omit-undefined.ts';
import type { UnprovenRule } from '../../scenario/proof-strength.ts';
import { judgeResults, type ResultsVerdict } from '../../scenario/statistics/judge-results.ts';
import { listRuleJudges } from '../../scenario/unproven-rules.ts';
import { listAgainst, listReportNotes } from './run-outcome.ts';
import type { IterationSummary, RunSummary } from './run-summary.ts';

export type ResultLine = {
  run: string;
  folder: string;
  status: RunSummary['status'];
  /** The doubts about the rate; absent where there are none. */
  against?: ReturnType<typeof listAgainst>;
  /** The verdict on the newest iteration; `disputed` comes with the range of passed samples. */
  verdict?: ResultsVerdict;
  passedRange?: IterationSummary['passedRange'];
  /** Who judges each rule, and the rules without a proof; absent before the first results. */
  judges?: Record<string, string[]>;
  unproven?: readonly UnprovenRule[];
  rounds: number;
  iterations: number;
  /** Rate of the newest iteration; null before the first. */
  successRate: number | null;
  target: number;
  compactions: { init: number; execute: number };
  modelCalls: number;
  /** The certain cost; `uncertainUsd` is what failed calls may have cost beyond it, by what arrived of them and by like answers. */
  costUsd: number;
  uncertainUsd: number;
  /** No bill can be higher, whatever the provider does with the calls that failed. */
  costAtMostUsd: number;
  simulated: boolean;
  durationMs: number;
};

export function resultLine(summary: RunSummary): ResultLine {
  const against = listAgainst(listReportNotes(summary));
  const last = summary.iterations.at(-1);
  const goal = { target: summary.target, gate: summary.gate };
  const results = last?.results;
  const compactionsOf = (agent: string) => summary.compactions.filter((one) => one.agent === agent).length;
  return {
    run: summary.run,
    folder: summary.folder,
    status: summary.status,
    ...(against.length === 0 ? {} : { against }),
    ...omitUndefined({ verdict: results && judgeResults(results, goal), passedRange: last?.passedRange }),
    ...(results && { judges: listRuleJudges(results.verification), ...omitUndefined({ unproven: results.unproven }) }),
    rounds: summary.rounds.length,
    iterations: summary.iterations.length,
    successRate: last?.successRate ?? null,
    target: summary.target,
    compactions: { init: compactionsOf('init'), execute: compactionsOf('execute') },
    modelCalls: summary.spend.calls,
    costUsd: summary.spend.usd,
    uncertainUsd: summary.spend.uncertainUsd ?? 0,
    costAtMostUsd: summary.spend.usd + (summary.spend.uncertainUsd ?? 0) + (summary.spend.unlikelyUsd ?? 0),
    simulated: summary.simulated,
    durationMs: summary.durationMs,
  };
}
