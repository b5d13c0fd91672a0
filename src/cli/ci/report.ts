/** Reports the end of a run to the CI system: outputs that later steps read, a summary page, annotations. */
import { join } from 'node:path';
import { resultLine } from '../../report/run/result-line.ts';
import type { RunSummary } from '../../report/run/run-summary.ts';
import { renderStepSummary } from '../../report/run/step-summary.ts';
import type { RunState } from '../../run/state.ts';
import { briefFile, inGitHub, inRepository, writeOutputs, writeStepSummary } from './outputs.ts';
import type { Io } from '../io.ts';

export type CiResult = {
  summary: RunSummary;
  state: RunState;
  /** What a comparison with a baseline came to. */
  against: string | undefined;
  code: number;
  junit: string | undefined;
};

/** `takeCommands` ends the time in which GitHub takes no workflow command from the output. */
export async function reportToCi(ended: CiResult, io: Io, takeCommands: (() => void) | undefined): Promise<void> {
  const { summary } = ended;
  await writeOutputs(outputsOf(ended), io);
  await writeStepSummary(renderStepSummary(summary), io);
  takeCommands?.();
  if (!inGitHub(io)) return;
  const { renderAnnotations } = await import('../../report/run/annotations.ts');
  for (const line of renderAnnotations(summary, inRepository(briefFile(summary.folder), io))) io.err(line);
}

function outputsOf({
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
    ...gateOf(state),
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

/** The gate that waits, and the digest that an answer must name. */
export function gateOf(state: RunState): { gate?: string; digest?: string } {
  return state.status === 'awaiting_approval' ? { gate: state.gate.id, digest: state.gate.digest } : {};
}
