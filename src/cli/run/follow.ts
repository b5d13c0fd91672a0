/** Carrying one run on until it ends or somebody must act, answering its gates as the user said. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../app/open-app.ts';
import { permissionsFor } from '../../config/reviewers.ts';
import type { OnGate } from '../../config/schema.ts';
import { HarnessError } from '../../errors.ts';
import { missingText, needsPerson } from '../../gate/rules/quorum.ts';
import { decideGate, type Decision } from '../../gate/decide.ts';
import { readPack } from '../../gate/read-pack.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';
import { driveToRest, stateOf } from '../../pipeline/drive/drive.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunState } from '../../run/state.ts';
import type { Io } from '../io.ts';
import type { LiveScreen } from '../live-screen.ts';

const POLL_MS = 2000;

export type Following = {
  run: RunFolder;
  app: App;
  screen: LiveScreen;
  io: Io;
  onGate: OnGate;
  actor: string;
  /** How long `wait` waits for an answer; for ever unless it is set. */
  gateTimeoutMs?: number | undefined;
};

/** Resolves with the state in which the run rests. */
export async function follow(following: Following, signal: AbortSignal): Promise<RunState> {
  refuseUnsafePolicy(following.app, following.onGate);
  for (;;) {
    const state = await driveToRest(following.run.id, following.app.deps, signal);
    if (state.status !== 'awaiting_approval' || !(await answerGate(state, following, signal))) return state;
  }
}

export type Waiting = Extract<RunState, { status: 'awaiting_approval' }>;

/** False when nobody answers here, so that the command ends with exit code 4. */
async function answerGate(
  state: Waiting,
  { run, app, screen, io, onGate, actor, gateTimeoutMs }: Following,
  signal: AbortSignal,
): Promise<boolean> {
  const base = { run: run.id, gate: state.gate.id, digest: state.gate.digest, nonce: randomUUID() };
  if (onGate === 'exit') return false;
  if (onGate === 'wait') return waitForDecision(state, app.deps, { run: run.id, timeoutMs: gateTimeoutMs, signal });
  if (onGate !== 'prompt') return answerByPolicy(run.id, state, { app, onGate });
  if (io.ask === undefined)
    throw new HarnessError(
      'usage',
      '--on-gate prompt needs a terminal. Use --on-gate exit or wait, and decide with tandem gates.',
    );
  const pack = await readPack(run, state.gate.id);
  const { askReviewer } = await import('../gates/ask-reviewer.ts');
  const answer = await screen.suspended(() => askReviewer(pack, io, signal));
  if (answer !== undefined) await decide({ ...base, ...answer, actor, via: 'terminal' }, app);
  return answer !== undefined;
}

/** `onGate` is `auto:<policy>`; the record says that no person decided. False when it has: the rest is for people. */
export async function answerByPolicy(
  run: string,
  { gate }: Waiting,
  { app, onGate }: { app: App; onGate: OnGate },
): Promise<boolean> {
  if (needsPerson(gate)) {
    const detail = `${gate.id}: ${missingText(gate)}. A policy counts as one voice, and config/reviewers.yaml asks for ${gate.need}.`;
    app.deps.progress({ type: 'state', status: 'notice', detail });
    return false;
  }
  const comment = `answered by --on-gate ${onGate}; no person has read this design`;
  const base = { run, gate: gate.id, digest: gate.digest, nonce: randomUUID() };
  const actor = `policy:${onGate.slice('auto:'.length)}`;
  await decide({ ...base, decision: 'approve', comment, actor, via: 'policy' }, app);
  return true;
}

async function decide(decision: Decision, app: App): Promise<void> {
  const { scenario } = await app.deps.store.open(decision.run);
  const people = app.deps.reviewers === undefined ? {} : permissionsFor(app.deps.reviewers, scenario);
  await decideGate(decision, { starterMayDecide: true, ...people, policyMayDecide: app.loopback }, app.deps);
}

/** A policy is not a person: it may only ever approve what a model on this machine wrote. */
export function refuseUnsafePolicy(app: App, onGate: OnGate): void {
  if (onGate.startsWith('auto:') && !app.loopback) {
    throw new HarnessError(
      'unsafe_policy',
      `--on-gate ${onGate} is accepted only while the model is on loopback; here it is ${app.deps.endpoint}. Use --on-gate exit, wait or prompt.`,
    );
  }
}

export type DecisionWait = { run: string; timeoutMs?: number | undefined; signal: AbortSignal };

/** False when the time for an answer is over: the gate stays open. */
export async function waitForDecision(
  before: Waiting,
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
