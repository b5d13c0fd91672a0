/** Counts the votes that a gate still needs: each person has one, and all policies together have one. */
import { isSameActor } from './same-actor.ts';

type Votes = { need: number; approvals: readonly string[] };

const isPolicy = (actor: string): boolean => actor.startsWith('policy:');

/** Finds the earlier approval that one by this actor would only repeat. */
export function isSameVoter({ approvals }: Votes, actor: string): string | undefined {
  return approvals.find((one) => isSameActor(one, actor) || (isPolicy(one) && isPolicy(actor)));
}

/** Returns true when policies have no vote left at the waiting gate, so that people must give the rest. */
export function needsPerson({ approvals }: Votes): boolean {
  return approvals.some(isPolicy);
}

/** Describes in a sentence which votes the gate has and which it still needs. */
export function standingText(votes: Votes): string {
  const { need, approvals } = votes;
  if (approvals.length === 0) return `Needs ${missingText(votes)}.`;
  return `Has ${approvals.length} of ${need} approvals (${approvals.join(', ')}); needs ${need - approvals.length} more, of another person.`;
}

/** `a decision` · `2 approvals, each of another person` · `1 of 2 approvals (policy:demo), 1 more of another person`. */
export function missingText({ need, approvals }: Votes): string {
  if (need === 1) return 'a decision';
  if (approvals.length === 0) return `${need} approvals, each of another person`;
  return `${approvals.length} of ${need} approvals (${approvals.join(', ')}), ${need - approvals.length} more of another person`;
}
