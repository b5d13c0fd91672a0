/** Drives one run until it ends or a person must act, and answers its gates as the options say. */
import { randomUUID } from 'node:crypto';
import type { App } from '../../app/open-app.ts';
import type { OnGate } from '../../config/schema.ts';
import { usageError } from '../../errors.ts';
import { readPack } from '../../gate/read-pack.ts';
import {
  answerByPolicy,
  sendDecision,
  refuseUnsafePolicy,
  waitForDecision,
  type WaitingAtGate,
} from '../../pipeline/drive/answer-gates.ts';
import { driveToRest } from '../../pipeline/drive/drive.ts';
import { nameToDrive } from '../../pipeline/drive/name-to-drive.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunState } from '../../run/state.ts';
import type { Io } from '../io.ts';
import type { LiveScreen } from '../live-screen.ts';

export const NO_TERMINAL =
  '--on-gate prompt needs a terminal. Use --on-gate exit or wait, and decide with tandem gates.';

export type RunToFollow = {
  run: RunFolder;
  app: App;
  screen: LiveScreen;
  io: Io;
  onGate: OnGate;
  actor: string;
  /** Time limit of `wait`; unlimited when undefined. */
  gateTimeoutMs?: number | undefined;
};

/** Resolves with the state in which the run comes to rest. */
export async function followRun(following: RunToFollow, signal: AbortSignal): Promise<RunState> {
  refuseUnsafePolicy(following.app, following.onGate);
  const name = await nameToDrive(following.run, following.app.deps);
  for (;;) {
    const state = await driveToRest(name, following.app.deps, signal);
    if (state.status !== 'awaiting_approval' || !(await answerGate(state, following, signal))) return state;
  }
}

/** Returns false when gates are not answered here, so that the command ends with exit code 4. */
async function answerGate(
  state: WaitingAtGate,
  { run, app, screen, io, onGate, actor, gateTimeoutMs }: RunToFollow,
  signal: AbortSignal,
): Promise<boolean> {
  const base = { run: run.dir, gate: state.gate.id, digest: state.gate.digest, nonce: randomUUID() };
  if (onGate === 'exit') return false;
  if (onGate === 'wait') return waitForDecision(state, app.deps, { run: run.dir, timeoutMs: gateTimeoutMs, signal });
  if (onGate !== 'prompt') return answerByPolicy(run.dir, state, { app, onGate });
  if (io.ask === undefined) throw usageError(NO_TERMINAL);
  const pack = await readPack(run, state.gate.id);
  const { reviewGate, forgetMarks } = await import('../gates/review-gate.ts');
  const gate = { run, state, pack, moment: {}, marks: forgetMarks(), left: 0 };
  const answer = await screen.suspended(() => reviewGate(gate, io, signal));
  if (typeof answer === 'string') return false;
  await sendDecision({ ...base, ...answer, actor, via: 'terminal' }, app);
  return true;
}
