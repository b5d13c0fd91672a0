/** Marks a step before its first paid call: when a worker and an undo race for it, one wins and the other stops. */
import { HarnessError } from '../../errors.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { stepName } from '../../run/command.ts';
import { decide } from '../../run/decide.ts';
import type { EventBody } from '../../run/event.ts';
import type { RunSnapshot } from '../../run/snapshot.ts';
import type { RunState } from '../../run/state.ts';
import { transact } from '../../run-folder/snapshot.ts';
import type { Deps } from '../deps.ts';
import { setTimeout as delay } from 'node:timers/promises';

/** Contract: `attempt_lost` when the step is no longer the run's next one; else no decision can be undone after it. */
export function beginStep(run: RunFolder, step: string): () => Promise<void> {
  let begun: Promise<void> | undefined;
  return () => (begun ??= recordStepBegun(run, step));
}

async function recordStepBegun(run: RunFolder, step: string): Promise<void> {
  const choose = ({ state }: RunSnapshot): EventBody | undefined => {
    if (stepName(decide(state)) === step) return state.opened && { type: 'step.begun', step };
    const message = `Run ${run.id} is ${state.status} now, and ${step} is not its next step: nothing was paid for it.`;
    throw new HarnessError('attempt_lost', message, { details: { step, status: state.status } });
  };
  await transact(run, choose, 'worker:tandem');
}

/**
 * Waits `undo_seconds` after a person's decision, so that there is time to take it back. Never waits longer: a decision
 * in the future comes from a clock that is ahead of this one, or from this one being slow.
 */
export async function waitForUndoWindow(
  state: RunState,
  { reviewers, clock, progress }: Pick<Deps, 'reviewers' | 'clock' | 'progress'>,
  signal: AbortSignal,
): Promise<void> {
  const decided = state.opened === undefined ? undefined : state.decisions.at(-1);
  if (decided?.actor.startsWith('user:') !== true) return;
  const windowMs = (reviewers?.undo_seconds ?? 0) * 1000;
  const behindMs = Date.parse(decided.ts) - clock.now().getTime();
  if (behindMs > CLOCK_SLACK_MS)
    progress({ type: 'state', status: 'notice', detail: formatClockNotice(decided, behindMs) });
  const leftMs = Math.min(windowMs, windowMs + behindMs);
  if (leftMs <= 0) return;
  const reason = `the decision of ${decided.actor} may be taken back until then`;
  if (leftMs > SAID_MS) progress({ type: 'wait', what: 'the next step', delayMs: leftMs, reason });
  await delay(leftMs, undefined, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
}

/** Clocks of two machines rarely agree more closely than this. */
const CLOCK_SLACK_MS = 5_000;
const SAID_MS = 1_000;

function formatClockNotice({ actor, ts }: { actor: string; ts: string }, behindMs: number): string {
  const minutes = Math.ceil(behindMs / 60_000);
  return `The clock of this machine is ${minutes} min behind the decision of ${actor} (${ts}): set one of the two clocks. The run goes on.`;
}
