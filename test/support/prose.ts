/** The running text of a Markdown page, as sentences that can be measured. */

/** Words as they are read: without blocks of code, tables, headings and pictures; code within a line is one word. */
export function readProse(page: string): string {
  return page
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '\n')
    .replaceAll(/^\s*(?:\||#|<|!\[).*$/gm, '\n')
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/\*\*|__/g, '');
}

const countWords = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** A paragraph and an item of a list each begin a sentence. */
function splitSentences(prose: string): string[] {
  return prose
    .split(/\n\s*\n|\n(?=\s*(?:[-*>]|\d+\.) )/)
    .map((block) =>
      block
        .replace(/^\s*(?:[-*>]|\d+\.) /, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .flatMap((block) => block.split(/(?<=[.!?]["”)]?)\s+(?=[\p{Lu}"“(*]|code\b)/u))
    .filter((sentence) => countWords(sentence) > 0);
}

/** English has a closed set of these; every other verb is learned from them. */
const MODALS = 'can|cannot|could|may|might|must|shall|should|will|would|do|does|did|to';
const AUXILIARIES =
  'is|are|was|were|am|be|been|has|have|had|does|do|did|can|cannot|could|may|might|must|shall|should|will|would';

/** Every word that follows a modal or `to` somewhere is the base of a verb: its forms are verbs on every page. */
export function learnVerbs(texts: readonly string[]): ReadonlySet<string> {
  const bases = texts.flatMap((text) =>
    [
      ...text.toLowerCase().matchAll(new RegExp(`\\b(?:${MODALS}) (?:not |then |also |only |never )?([a-z]{2,})`, 'g')),
    ].map(([, base = '']) => base),
  );
  // After these, too, a verb follows: `it gets`, `they need`.
  const persons = texts.flatMap((text) =>
    [...text.toLowerCase().matchAll(/\b(?:it|who|which|they|you|we) ([a-z]{3,})/g)].map(([, form = '']) => form),
  );
  const nouns = new Set('the an it them this that your you its their each one all no another be'.split(' '));
  const verbs = new Set([...AUXILIARIES.split('|'), ...persons.filter((form) => !nouns.has(form))]);
  for (const base of bases) {
    if (nouns.has(base)) continue;
    const past = base.endsWith('e') ? `${base}d` : `${base}ed`;
    const third = /(?:s|x|z|ch|sh|o)$/.test(base) ? `${base}es` : `${base}s`;
    for (const form of [base, past, third, base.replace(/y$/, 'ies'), base.replace(/y$/, 'ied')]) verbs.add(form);
  }
  return verbs;
}

export function measureSentences(
  page: string,
  verbs: ReadonlySet<string>,
): { sentences: number; averageWords: number; fragments: string[] } {
  const sentences = splitSentences(readProse(page));
  const words = sentences.reduce((sum, sentence) => sum + countWords(sentence), 0);
  const hasVerb = (sentence: string): boolean =>
    (sentence.toLowerCase().match(/[a-z]+/g) ?? []).some((word) => verbs.has(word));
  return {
    sentences: sentences.length,
    averageWords: words / Math.max(1, sentences.length),
    fragments: sentences.filter((sentence) => !hasVerb(sentence)),
  };
}
