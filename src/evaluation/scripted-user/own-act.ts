/** Tells a request for consent to what the subject itself would do, whatever its clauses say of it. */

/**
 * A question whose main clause asks for consent: no word for a fact comes before it, its verb finds nothing out, and no second
 * question follows.
 */
export function ownAct({
  facts,
  ask,
  finding,
  and,
}: {
  facts: string;
  ask: string;
  finding: string;
  and: string;
}): RegExp {
  const before = String.raw`^(?:(?!\b(?:${facts})\b).)*?\b`;
  const another = String.raw`(?:\b(?:${and})\b,?|[;:–—-]) (?:${facts})\b`;
  return new RegExp(String.raw`${before}${ask} (?!${finding})(?!.*${another})`, 'i');
}
