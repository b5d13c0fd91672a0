/** Follows a run that other processes carry on, until it ends or waits for a person. */
import { setTimeout as delay } from 'node:timers/promises';
import { isHarnessError } from '../../errors.ts';
import { decide } from '../../run/decide.ts';
import type { RunState } from '../../run/state.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';
import type { JobQueue } from '../../ports/job-queue.ts';
import { checkHandedBack } from '../../run-folder/check-handed-back.ts';
import { findStepLane } from '../../run-folder/hand-over.ts';
import { readState } from '../../run-folder/snapshot.ts';

const LOOK_MS = 500;
/** Number of looks at the disk for each look at the queue. */
const ASK_EVERY = 4;

type FollowDeps = ReadDeps & { queue?: JobQueue };

/** Contract: rejects with the signal's reason when it fires, leaving the run as it is. Waits while a store is unavailable. */
export async function waitForRest(runId: string, deps: FollowDeps, signal: AbortSignal): Promise<RunState> {
  for (let said: string | undefined; ;) {
    try {
      return await followRun(runId, deps, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (deps.store.server === undefined || !isHarnessError(error) || !error.retryable) throw error;
      if (error.message !== said) deps.progress({ type: 'state', status: 'notice', detail: error.message });
      said = error.message;
      await delay(LOOK_MS, undefined, { signal });
    }
  }
}

async function followRun(runId: string, deps: FollowDeps, signal: AbortSignal): Promise<RunState> {
  const { queue } = deps;
  const said = new Set<string>();
  const run = await deps.store.open(runId);
  let state = await readState(run);
  reportPhase(state, deps);
  for (let looks = 1; findStepLane(decide(state)) !== undefined; looks += 1) {
    await delay(LOOK_MS, undefined, { signal });
    if (queue !== undefined && looks % ASK_EVERY === 0) await checkHandedBack(run, { ...deps, queue }, said);
    if (!(await run.journal.holds(state.length))) continue;
    state = await readState(run);
    reportPhase(state, deps);
  }
  return state;
}

function reportPhase(state: RunState, { progress }: ReadDeps): void {
  const { round, iteration } = state;
  if (state.status === 'designing') progress({ type: 'phase', phase: 'design', round, iteration });
  else if (state.status === 'executing') progress({ type: 'phase', phase: 'execute', round, iteration });
}
