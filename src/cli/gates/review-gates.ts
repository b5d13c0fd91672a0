/** `tandem gates review`: the decision screen in a terminal, one gate after the other, with the keys of the page. */
import { readState } from '../../run-folder/snapshot.ts';
import { randomUUID } from 'node:crypto';
import { openStore } from '../../app/open-store.ts';
import { designs, openFileDrafts } from '../../app/web/designs.ts';
import { wakeWorkers } from '../../app/worker-queue.ts';
import { findHome } from '../../config/home.ts';
import { loadReviewers, toGatePermissions } from '../../config/reviewers.ts';
import { isHarnessError, usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { standingText } from '../../gate/rules/quorum.ts';
import { decideGate } from '../../gate/decide.ts';
import type { ReadDeps, RunFolder } from '../../ports/run-store.ts';
import type { ReviewScreenState } from '../../report/gate/review-terminal.ts';
import { readGate } from '../../web/read/read-gate.ts';
import type { RunState } from '../../run/state.ts';
import { listGateComments } from '../../run/exchanges.ts';
import { commandActor, EXIT, type Io } from '../command-context.ts';
import { reviewGate, type ReviewMarks } from './review-gate.ts';

type WaitingRun = { run: RunFolder; state: Extract<RunState, { status: 'awaiting_approval' }> };

/** Reviews all waiting gates, oldest first, or only the gate of the named run. */
export async function reviewGates(name: string | undefined, io: Io, signal: AbortSignal): Promise<number> {
  if (io.ask === undefined) {
    throw usageError(
      'tandem gates review needs a terminal. Elsewhere: tandem gates show, then approve, request-changes or reject.',
    );
  }
  const home = findHome(io.cwd);
  const deps = openStore(home);
  const reviewers = await loadReviewers(home);
  const waiting = await listWaitingRuns(deps, name, io);
  if (waiting.length === 0)
    io.err(name === undefined ? 'No gate waits for a decision.' : `Run ${name} waits for no decision.`);
  for (const [index, { run, state }] of waiting.entries()) {
    const shownAt = deps.clock.now().getTime();
    const shown = await readReviewScreen({ run, state }, commandActor(io), shownAt);
    const marks = await openReviewMarks(run, io);
    const answer = await reviewGate({ run, state, ...shown, marks, left: waiting.length - index - 1 }, io, signal);
    if (answer === 'quit') break;
    if (answer === 'next') continue;
    const decision = {
      ...{ run: run.dir, gate: state.gate.id, digest: state.gate.digest, nonce: randomUUID(), ...answer },
      ...{ actor: commandActor(io), via: 'terminal', shownMs: deps.clock.now().getTime() - shownAt },
    };
    try {
      const made = await decideGate(decision, toGatePermissions(reviewers, run.scenario), deps);
      io.err(`${made.gate}: ${made.decision.replace('_', ' ')} by ${made.actor}.`);
    } catch (error) {
      // A refused decision is shown and does not end the review: the next gate may still be answered.
      if (!isHarnessError(error, 'gate_refused')) throw error;
      io.err(`Nothing was recorded. ${error.message}`);
    }
    await wakeWorkers(run.dir, deps, { home, env: io.env });
  }
  return EXIT.met;
}

/** Opens the same marks as the page: both store them under the reviewer's name. */
async function openReviewMarks({ dir }: RunFolder, io: Io): Promise<ReviewMarks> {
  const drafts = openFileDrafts();
  const who = commandActor(io).slice('user:'.length);
  return {
    set: new Set(await drafts.marks(dir, who)),
    keep: (mark, isSet) => drafts.mark(dir, who, { mark, isSet }),
  };
}

/** Reads the pack with the changes since this reviewer's own last decision, and what others have done since. */
async function readReviewScreen({ run, state }: WaitingRun, actor: string, nowMs: number) {
  const { pack, since, edit, events } = await readGate({ run, gate: state.gate.id, actor }, designs);
  const { mine, asked, ...change } = since;
  const moment: ReviewScreenState = {
    waitingMs: Math.max(0, nowMs - Date.parse(state.gate.openedAt)),
    read: { mine, asked },
    said: listGateComments(events, pack.gate),
    ...omitUndefined({ edit, standing: state.gate.need === 1 ? undefined : standingText(state.gate) }),
  };
  return { pack: { ...pack, since: change }, moment };
}

async function listWaitingRuns({ store }: ReadDeps, name: string | undefined, io: Io): Promise<WaitingRun[]> {
  const places = name === undefined ? (await store.list()).map(({ dir }) => dir) : [name];
  const found: WaitingRun[] = [];
  for (const place of places) {
    try {
      const run = await store.open(place);
      const state = await readState(run);
      if (state.status === 'awaiting_approval') found.push({ run, state });
    } catch (error) {
      if (name !== undefined || !isHarnessError(error)) throw error;
      io.err(`${place}: ${error.message}`);
    }
  }
  return found.toSorted((one, other) => one.state.gate.openedAt.localeCompare(other.state.gate.openedAt));
}
