/** Decides whether a visitor who may read a gate may also answer it. */
import { HarnessError } from '../../errors.ts';
import { isOwnOrOfOwnAgent } from '../../gate/rules/same-actor.ts';
import { mayDecide, type Access, type Visitor } from './visitor.ts';

/** `startedBy` is set where the journal has been read; the decision itself checks it in any case. */
export type GateTarget = { scenario: string; key: string; gate: string; digest: string; startedBy?: string };

/** Returns why this visitor may not answer, or undefined when they may. */
export function decisionDenial(
  { name, only }: Visitor,
  { scenario, key, gate, digest, startedBy }: GateTarget,
  access: Access,
): string | undefined {
  if (!mayDecide({ name }, scenario, access)) {
    return `${name} is no reviewer of ${scenario}: config/reviewers.yaml lists who is.`;
  }
  if (access.starterMayDecide === false && startedBy !== undefined && isOwnOrOfOwnAgent(`user:${name}`, startedBy)) {
    return `${name} started this run, and who starts a run may not decide its gates: ask a colleague.`;
  }
  if (only === undefined) return undefined;
  if (only.gate !== `${key}.${gate}`)
    return 'Your link was made for another gate. Sign in with your token to answer this one.';
  if (only.digest === digest) return undefined;
  return 'Your link was made for an earlier design. Sign in with your token to decide on this one.';
}

export function requireDecisionRight(visitor: Visitor, at: GateTarget, { access }: { access: Access }): void {
  const why = decisionDenial(visitor, at, access);
  if (why !== undefined) throw denialError(why);
}

/** What a visitor may not do; the page answers it with 403. */
export function denialError(why: string): HarnessError {
  return new HarnessError('gate_refused', why, { details: { refusal: 'not_allowed' } });
}
