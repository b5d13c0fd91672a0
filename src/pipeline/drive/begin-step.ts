/** The mark before a step's first paid call: of a worker and an undo that race for it, one wins and the other stops. */
import { setTimeout as delay } from 'node:timers/promises';
import { HarnessError } from '../../errors.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { stepName } from '../../run/command.ts';
import { decide } from '../../run/decide.ts';
import type { EventBody } from '../../run/event.ts';
import type { RunSnapshot } from '../../run/snapshot.ts';
import type { RunState } from '../../run/state.ts';
import { transact } from '../../run-folder/transact.ts';
import type { Deps } from '../deps.ts';

/** Contract: `attempt_lost` when the step is the run's next one no more; otherwise no decision can be taken back after it. */
export function beginStep(run: RunFolder, step: string): () => Promise<void> {
  let begun: Promise<void> | undefined;
  return () => (begun ??= begin(run, step));
}

async function begin(run: RunFolder, step: string): Promise<void> {
  const choose = ({ state }: RunSnapshot): EventBody | undefined => {
    if (stepName(decide(state)) === step) return state.opened && { type: 'step.begun', step };
    const message = `Run ${run.id} is ${state.status} now, and ${step} is not its next step: nothing was paid for it.`;
    throw new HarnessError('attempt_lost', message, { details: { step, status: state.status } });
  };
  await transact(run, choose, 'worker:tandem');
}

/** A person's decision is left alone for as long as `undo_seconds` says, so that there is time to take it back. */
export async function waitForUndoWindow(
  state: RunState,
  { reviewers, clock }: Deps,
  signal: AbortSignal,
): Promise<void> {
  const decided = state.opened === undefined ? undefined : state.decisions.at(-1);
  if (decided?.actor.startsWith('user:') !== true) return;
  const leftMs = Date.parse(decided.ts) + (reviewers?.undo_seconds ?? 0) * 1000 - clock.now().getTime();
  if (leftMs <= 0) return;
  await delay(leftMs, undefined, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
}
