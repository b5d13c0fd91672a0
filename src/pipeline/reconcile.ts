/** Asking every live run for its next step: this alone recovers from a lost queue or a killed worker. */
import { decide, isLive } from '../run/decide.ts';
import { isHarnessError } from '../errors.ts';
import type { Deps } from './deps.ts';
import { stateOf } from './drive.ts';
import { laneOf } from './worker-wake.ts';

/** Wakes each run that a worker could move on; resolves with their ids. A run that cannot be read is left alone. */
export async function reconcile(deps: Deps): Promise<string[]> {
  const woken: string[] = [];
  for (const { id, dir } of await deps.store.list()) {
    const state = await stateOf(dir, deps).catch((error: unknown) => {
      if (isHarnessError(error)) return undefined;
      throw error;
    });
    if (state === undefined || !isLive(state)) continue;
    const lane = laneOf(decide(state));
    if (lane === undefined) continue;
    await deps.queue.wake({ run: id, lane });
    woken.push(id);
  }
  return woken;
}
