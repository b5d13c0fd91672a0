/** The models of an evaluation without agents: each call is reserved, cached and booked like a call of a run. */
import { join } from 'node:path';
import { openFileSpending } from '../../adapters/files/file-spending.ts';
import type { EvaluationFolder } from '../../pipeline/evaluation/evaluation-folder.ts';
import { createPaidModel } from '../../pipeline/spending/paid-model.ts';
import type { ModelFor } from '../../pipeline/steps/step-models.ts';
import type { Model } from '../../ports/model.ts';
import type { Telemetry } from '../../ports/telemetry.ts';

const STEP = 'evaluate';

export type EvaluationModelsOptions = {
  model: Model;
  folder: Pick<EvaluationFolder, 'dir' | 'memory'>;
  maxUsd: number;
  telemetry: Telemetry;
};

/** Contract: checks the cap before each call, and a resumed evaluation pays for nothing twice. */
export function createEvaluationModels(options: EvaluationModelsOptions): ModelFor {
  const { model, folder, maxUsd, telemetry } = options;
  const { dir, memory } = folder;
  const attempt = {
    step: STEP,
    recall: (name: string) => memory.recall(join('turns', name)),
    remember: (name: string, value: unknown) => memory.remember(join('turns', name), value),
  };
  const spending = openFileSpending(dir);
  return (lane, agent, facts) => {
    const onPaid = (usd: number): void =>
      telemetry.count('tandem.cost', usd, { 'gen_ai.agent.name': agent, 'gen_ai.request.model': facts.id });
    return createPaidModel({ model, facts, attempt, spending, capUsd: maxUsd, agent, lane, onPaid });
  };
}
