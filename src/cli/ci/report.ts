/** Reports the end of a run to the CI system: outputs for later steps, a summary page, annotations. */
import { join } from 'node:path';
import { resultLine } from '../../report/run/result-line.ts';
import type { RunSummary } from '../../report/run/run-summary.ts';
import { renderStepSummary } from '../../report/run/step-summary.ts';
import type { RunState } from '../../run/state.ts';
import { findScenarioFile, isGitHubActions, toRepositoryPath, writeOutputs, writeStepSummary } from './outputs.ts';
import type { Io } from '../io.ts';

export type CiResult = {
  summary: RunSummary;
  state: RunState;
  /** Result of the comparison with a baseline. */
  against: string | undefined;
  code: number;
  junit: string | undefined;
};

/** `takeCommands` lets GitHub read workflow commands from the output again. */
export async function reportToCi(ended: CiResult, io: Io, takeCommands: (() => void) | undefined): Promise<void> {
  const { summary } = ended;
  await writeOutputs(toCiOutputs(ended), io);
  await writeStepSummary(renderStepSummary(summary), io);
  takeCommands?.();
  if (!isGitHubActions(io)) return;
  const { renderAnnotations } = await import('../../report/run/annotations.ts');
  for (const line of renderAnnotations(summary, toRepositoryPath(findScenarioFile(summary.folder), io))) io.err(line);
}

function toCiOutputs({
  summary,
  state,
  against,
  code,
  junit,
}: CiResult): Record<string, string | number | boolean | undefined> {
  const { run, folder, status, rounds, iterations, successRate, target, costUsd, uncertainUsd, simulated } =
    resultLine(summary);
  return {
    run,
    folder,
    scenario: summary.scenario,
    status,
    exit_code: code,
    ...getWaitingGate(state),
    rounds,
    iterations,
    success_rate: successRate ?? '',
    target,
    cost_usd: costUsd,
    uncertain_usd: uncertainUsd,
    simulated,
    report: join(folder, 'out/report.html'),
    junit: junit ?? join(folder, 'out/junit.xml'),
    baseline: against,
  };
}

/** Returns the waiting gate with the digest that an answer must name; empty when no gate waits. */
export function getWaitingGate(state: RunState): { gate?: string; digest?: string } {
  return state.status === 'awaiting_approval' ? { gate: state.gate.id, digest: state.gate.digest } : {};
}
