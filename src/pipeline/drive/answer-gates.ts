/** Answers the gates of the runs that a command drives: by a policy, or by waiting for a person. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { toGatePermissions } from '../../config/reviewers.ts';
import type { OnGate } from '../../config/schema.ts';
import { HarnessError } from '../../errors.ts';
import { missingText, needsPerson } from '../../gate/rules/quorum.ts';
import { decideGate, type Decision } from '../../gate/decide.ts';
import type { ReadDeps } from '../../ports/run-store.ts';
import type { RunState } from '../../run/state.ts';
import type { Deps } from '../deps.ts';
import { stateOf } from './drive.ts';

const POLL_MS = 2000;

/** `loopback` means that every model call stays on this machine. */
export type DrivenApp = { deps: Deps; loopback: boolean };
export type WaitingAtGate = Extract<RunState, { status: 'awaiting_approval' }>;

/** `onGate` is `auto:<policy>`; the record says that no person decided. Returns false when people must decide. */
export async function answerByPolicy(
  run: string,
  { gate }: WaitingAtGate,
  { app, onGate }: { app: DrivenApp; onGate: OnGate },
): Promise<boolean> {
  if (needsPerson(gate)) {
    const detail = `${gate.id}: ${missingText(gate)}. A policy counts as one voice, and config/reviewers.yaml asks for ${gate.need}.`;
    app.deps.progress({ type: 'state', status: 'notice', detail });
    return false;
  }
  const comment = `answered by --on-gate ${onGate}; no person has read this design`;
  const base = { run, gate: gate.id, digest: gate.digest, nonce: randomUUID() };
  const actor = `policy:${onGate.slice('auto:'.length)}`;
  await sendDecision({ ...base, decision: 'approve', comment, actor, via: 'policy' }, app);
  return true;
}

export async function sendDecision(decision: Decision, app: DrivenApp): Promise<void> {
  const { scenario } = await app.deps.store.open(decision.run);
  const people = app.deps.reviewers === undefined ? {} : toGatePermissions(app.deps.reviewers, scenario);
  await decideGate(decision, { starterMayDecide: true, ...people, policyMayDecide: app.loopback }, app.deps);
}

/** A policy may only approve what a model on this machine wrote, because it is not a person. */
export function refuseUnsafePolicy(app: DrivenApp, onGate: OnGate): void {
  if (onGate.startsWith('auto:') && !app.loopback) {
    throw new HarnessError(
      'unsafe_policy',
      `--on-gate ${onGate} is accepted only while the model is on loopback; here it is ${app.deps.endpoint}. Use --on-gate exit, wait or prompt.`,
    );
  }
}

type DecisionWait = { run: string; timeoutMs?: number | undefined; signal: AbortSignal };

/** Returns false when the time for an answer is over; the gate stays open. */
export async function waitForDecision(
  before: WaitingAtGate,
  deps: ReadDeps,
  { run, timeoutMs = Number.POSITIVE_INFINITY, signal }: DecisionWait,
): Promise<boolean> {
  const until = deps.clock.now().getTime() + timeoutMs;
  for (;;) {
    const leftMs = until - deps.clock.now().getTime();
    if (leftMs <= 0) return false;
    await sleep(Math.min(POLL_MS, leftMs), undefined, { signal });
    const state = await stateOf(run, deps);
    // A reminder or a question about the design is no answer, and extends no deadline.
    if (state.status !== 'awaiting_approval' || state.gate.id !== before.gate.id) return true;
  }
}
