/** Asking every live run for its next step: this alone recovers from a lost queue or a killed worker. */
import type { Deps } from '../pipeline/deps.ts';
import { openRunIndex } from '../run-folder/run-index.ts';

/** Wakes each run that a worker could move on; resolves with their ids. A run that cannot be read is left alone. */
export async function reconcile(deps: Deps): Promise<string[]> {
  const { runs } = await openRunIndex(deps.store).look();
  const woken: string[] = [];
  for (const { id, lane } of runs) {
    if (lane === undefined) continue;
    await deps.queue.wake({ run: id, lane });
    woken.push(id);
  }
  return woken;
}
