/** Records what another agent or a colleague says at a gate: shown to reviewers, read by no agent of the run, and no answer. */
import { HarnessError } from '../errors.ts';
import type { ReadDeps } from '../ports/read-deps.ts';
import { commentsAt, type GateComment } from '../run/exchanges.ts';
import { transact } from '../run-folder/transact.ts';
import { gateId, LEAST_DIGEST } from './rules/gate.ts';
import { isSameActor } from './rules/same-actor.ts';

export type CommentRequest = {
  /** Run id or path of the run folder. */
  run: string;
  comment: string;
  /** At least the first 12 characters; absent: the design that waits, whichever it is. */
  digest?: string | undefined;
  /** `user:<name>` or `agent:mcp-<name>`; the caller has verified it. */
  actor: string;
};

/** A reviewer reads all of it. */
const MOST_CHARS = 4000;
/** By one actor at one gate: an agent in a loop must not bury the design. */
const MOST_COMMENTS = 20;

/** Resolves with the comment as recorded; the same words of the same actor are recorded once. Refusals are `gate_refused`. */
export async function commentAtGate(request: CommentRequest, deps: ReadDeps): Promise<GateComment> {
  const run = await deps.store.open(request.run);
  const { actor, comment } = request;
  const refuse = (refusal: string, message: string) =>
    new HarnessError('gate_refused', message, { details: { refusal, run: run.id } });
  if (comment.trim() === '')
    throw refuse('comment_missing', 'Say something: --comment "R4 and R7 contradict each other."');
  if (comment.length > MOST_CHARS)
    throw refuse('comment_too_long', `The comment has ${comment.length} characters; ${MOST_CHARS} are the most.`);
  const { after } = await transact(
    run,
    ({ state, events }) => {
      if (state.status !== 'awaiting_approval')
        throw refuse('no_open_gate', `No gate of run ${run.id} waits; the run is ${state.status}.`);
      const { id: gate, round, digest } = state.gate;
      if (request.digest !== undefined && !isDigestOf(request.digest, digest))
        throw refuse('other_digest', `The design that waits is ${digest}: read it with tandem gates show ${run.id}.`);
      const mine = commentsAt(events, gate).filter((one) => isSameActor(one.actor, actor));
      if (mine.some((one) => one.comment === comment)) return undefined;
      if (mine.length >= MOST_COMMENTS)
        throw refuse('too_many', `${actor} has said ${MOST_COMMENTS} things at ${gate}: a person reads them first.`);
      return { type: 'gate.commented', gate, round, digest, comment };
    },
    actor,
  );
  const said = commentsAt(after.events, gateId(after.state.round)).findLast(
    (one) => isSameActor(one.actor, actor) && one.comment === comment,
  );
  if (said === undefined) throw new HarnessError('data_corrupt', `Run ${run.id} lost the comment it recorded.`);
  return said;
}

function isDigestOf(part: string, digest: string): boolean {
  return part.length >= LEAST_DIGEST && digest.startsWith(part);
}
