/** Models of an evaluation without agents whose calls wait for batches: reserved, remembered and booked as those of a run. */
import { join } from 'node:path';
import { sharedFilesIn } from '../../disk/shared-files.ts';
import { openFileSpending } from '../../adapters/files/file-spending.ts';
import type { EvaluationFolder } from '../../pipeline/evaluation/evaluation-folder.ts';
import { paidModel } from '../../pipeline/spending/paid-model.ts';
import type { ModelFor } from '../../pipeline/steps/step-models.ts';
import type { Economy } from '../../ports/economy.ts';
import type { Progress } from '../../ports/progress.ts';

const STEP = 'evaluate';

export type EconomicalModels = {
  economy: Economy;
  folder: Pick<EvaluationFolder, 'dir' | 'memory'>;
  maxUsd: number;
  progress: Progress;
};

/** Contract: the cap is held before each call, and a killed evaluation that goes on pays nothing twice. */
export function economicalModels({ economy, folder, maxUsd, progress }: EconomicalModels): ModelFor {
  const { dir, memory } = folder;
  const attempt = {
    step: STEP,
    recall: (name: string) => memory.recall(join('turns', name)),
    remember: (name: string, value: unknown) => memory.remember(join('turns', name), value),
  };
  const spending = openFileSpending(dir);
  const tell = (detail: string): void => progress({ type: 'state', status: 'notice', detail });
  return (lane, agent, facts) => {
    const model = economy.model({ dir, files: sharedFilesIn(dir), name: `${STEP}/${lane}`, tell });
    const onPaid = (): void => undefined;
    return paidModel({ model, facts, attempt, spending, capUsd: maxUsd, agent, lane, onPaid });
  };
}
