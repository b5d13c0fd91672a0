/** Records a comment at a gate, or that a person hands it to another reviewer; the run's agents never read either. */
import { HarnessError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { ReadDeps } from '../ports/run-store.ts';
import { findHandover, listGateComments, type GateComment } from '../run/exchanges.ts';
import { transact } from '../run-folder/snapshot.ts';
import { findActorFault, gateId, LEAST_DIGEST, type GateContext, type GateRules } from './rules/gate.ts';
import { isSameActor } from './rules/same-actor.ts';

export type CommentRequest = {
  /** Run id or path of the run folder. */
  run: string;
  comment: string;
  /** The beginning of the design's digest, at least 12 characters. Absent: whichever design waits at the gate. */
  digest?: string | undefined;
  /** The reviewer to whom the actor hands the gate; both must be ones who may decide it. */
  to?: string | undefined;
  /** `user:<name>` or `agent:mcp-<name>`; the caller has verified it. */
  actor: string;
};

/** The longest comment in characters; a reviewer reads all of it. */
const MOST_CHARS = 4000;
/** The most comments by one actor at one gate, so that an agent in a loop cannot bury the design. */
const MOST_COMMENTS = 20;

/** Resolves with the recorded comment; an actor's repeated comment is recorded once. Refusals are `gate_refused`. */
export async function commentAtGate(
  request: CommentRequest,
  deps: ReadDeps,
  getRules?: (scenario: string) => GateRules,
): Promise<GateComment> {
  const run = await deps.store.open(request.run);
  const { actor, comment, to } = request;
  const refuse = (refusal: string, message: string) =>
    new HarnessError('gate_refused', message, { details: { refusal, run: run.id } });
  if (comment.trim() === '' && to === undefined)
    throw refuse('comment_missing', 'Say something: --comment "R4 and R7 contradict each other."');
  if (comment.length > MOST_CHARS)
    throw refuse('comment_too_long', `The comment has ${comment.length} characters; ${MOST_CHARS} are the most.`);
  const { after } = await transact(
    run,
    ({ state, events }) => {
      if (state.status !== 'awaiting_approval')
        throw refuse('no_open_gate', `No gate of run ${run.id} waits; the run is ${state.status}.`);
      const { id: gate, round, digest } = state.gate;
      if (request.digest !== undefined && !isDigestPrefix(request.digest, digest))
        throw refuse('other_digest', `The design that waits is ${digest}: read it with tandem gates show ${run.id}.`);
      const fault = to === undefined ? undefined : findHandoverFault({ actor, to }, state, getRules?.(run.scenario));
      if (fault !== undefined) throw refuse('not_allowed', fault);
      const mine = listGateComments(events, gate).filter((one) => isSameActor(one.actor, actor));
      const isKnown =
        to === undefined
          ? mine.some((one) => one.comment === comment && one.to === undefined)
          : findHandover(events, gate)?.to === to;
      if (isKnown) return undefined;
      if (mine.length >= MOST_COMMENTS)
        throw refuse('too_many', `${actor} has said ${MOST_COMMENTS} things at ${gate}: a person reads them first.`);
      return { type: 'gate.commented', gate, round, digest, comment, ...omitUndefined({ to }) };
    },
    actor,
  );
  const said = listGateComments(after.events, gateId(after.state.round)).findLast(
    (one) => one.to === to && (to !== undefined || (isSameActor(one.actor, actor) && one.comment === comment)),
  );
  if (said === undefined) throw new HarnessError('data_corrupt', `Run ${run.id} lost the comment it recorded.`);
  return said;
}

/** Explains why the actor may not hand the gate to this reviewer; where nobody is listed, nobody can be named. */
function findHandoverFault(
  { actor, to }: { actor: string; to: string },
  state: Pick<GateContext, 'startedBy'>,
  rules?: GateRules,
): string | undefined {
  const taker = `user:${to}`;
  const isListed = rules?.deciders?.includes(taker) === true && !isSameActor(taker, actor);
  const own = rules === undefined ? undefined : findActorFault(state, actor, rules);
  if (own !== undefined) return own;
  if (isListed && findActorFault(state, taker, rules) === undefined) return undefined;
  return `${to === '' ? 'Nobody' : to} is no other reviewer who may decide this gate: config/reviewers.yaml lists who is.`;
}

function isDigestPrefix(part: string, digest: string): boolean {
  return part.length >= LEAST_DIGEST && digest.startsWith(part);
}
