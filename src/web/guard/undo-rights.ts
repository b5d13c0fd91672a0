/** Which decisions at a gate a visitor may take back now. */
import type { GateDecision } from '../../gate/rules/gate.ts';
import { isSameActor } from '../../gate/rules/same-actor.ts';
import { undoable } from '../../run/undo.ts';
import type { GateView } from '../read/read-gate.ts';
import { decisionDenial } from './authorization.ts';
import type { Access, Visitor } from './visitor.ts';

/** Their own, and for an owner everybody's; the door asks again. */
export function decisionsToUndo(
  view: GateView,
  { key, visitor, access }: { key: string; visitor: Visitor; access: Access },
): readonly GateDecision[] {
  const { run, state, pack } = view;
  const owner = access.reviewers.some(({ name, role }) => role === 'owner' && isSameActor(name, visitor.name));
  return undoable(state).filter(
    ({ gate, digest, actor }) =>
      gate === pack.gate &&
      (owner || isSameActor(actor, `user:${visitor.name}`)) &&
      decisionDenial(visitor, { scenario: run.scenario, key, gate, digest }, access) === undefined,
  );
}
