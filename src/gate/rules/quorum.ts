/** How many voices a gate still needs, and whose: people are counted by name, all policies together are one voice. */
import { isSameActor } from './same-actor.ts';

type Votes = { need: number; approvals: readonly string[] };

const isPolicy = (actor: string): boolean => actor.startsWith('policy:');

/** The earlier approval that this actor's would only repeat. */
export function isSameVoter({ approvals }: Votes, actor: string): string | undefined {
  return approvals.find((one) => isSameActor(one, actor) || (isPolicy(one) && isPolicy(actor)));
}

/** Of a gate that waits: true when policies have no vote left, so that people must decide the rest. */
export function needsPerson({ approvals }: Votes): boolean {
  return approvals.some(isPolicy);
}

/** As a sentence for who reads the gate: what it has, and what it needs. */
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
