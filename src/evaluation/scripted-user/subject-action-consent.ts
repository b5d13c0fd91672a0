/** Recognises a request for consent to an action of the subject itself, whatever its later clauses say. */

type OwnActWords = Record<'facts' | 'ask' | 'finding' | 'and', string>;

/**
 * Builds a pattern for a question whose main clause asks for consent: no word for a fact comes before it, its verb is
 * not one of finding out, and no second question follows.
 */
export function buildOwnActPattern({ facts, ask, finding, and }: OwnActWords): RegExp {
  const before = String.raw`^(?:(?!\b(?:${facts})\b).)*?\b`;
  const another = String.raw`(?:\b(?:${and})\b,?|[;:–—-]) (?:${facts})\b`;
  return new RegExp(String.raw`${before}${ask} (?!${finding})(?!.*${another})`, 'i');
}
