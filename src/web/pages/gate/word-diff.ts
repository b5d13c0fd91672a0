/** A changed text with its removed and added words marked. */
import { wordChanges } from '../../../gate/rules/word-changes.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { splitWords } from '../../../scenario/language/split-text.ts';

/** Further changes in one rule get no link of their own; the rule has one. */
const MOST_LINKS = 6;

export type WordDiffOptions = {
  /** Creates the comment link behind changed words. */
  say?: (words: string) => Html | undefined;
  /** Keeps only those unchanged words that are next to a change. */
  brief?: boolean;
};

const CONTEXT_WORDS = 2;
/** Fewer words are read faster than the mark that replaces them. */
const LEAST_LEFT_OUT = 2;

function clipUnchanged(text: string, isFirst: boolean, isLast: boolean): string {
  const words = splitWords(text);
  if (words.length <= LEAST_LEFT_OUT + 2 * CONTEXT_WORDS) return text;
  const [head, tail] = [words.slice(0, CONTEXT_WORDS), words.slice(-CONTEXT_WORDS)];
  return `${isFirst ? '' : head.join('').trimEnd()} … ${isLast ? '' : tail.join('')}`;
}

export function wordDiffHtml(
  before: string | undefined,
  after: string | undefined,
  { say = () => undefined, brief = false }: WordDiffOptions = {},
): Html {
  if (before === undefined) return html`<p class="words">${renderLines(after ?? '')}</p>`;
  if (after === undefined) return html`<p class="words"><del>${renderLines(before)}</del></p>`;
  let links = 0;
  return html`<p class="words">
    ${wordChanges(before, after).map(({ kind, text }, index, all) => {
      if (kind === 'same')
        return html`${renderLines(brief ? clipUnchanged(text, index === 0, index === all.length - 1) : text)}`;
      // A replacement has one link, behind the new words.
      const isReplaced = kind === 'removed' && all[index + 1]?.kind === 'added';
      const link = links < MOST_LINKS && !isReplaced ? say(text) : undefined;
      if (link !== undefined) links += 1;
      // The link stays on the line of the words.
      const [words, space] = link === undefined ? [text, ''] : [text.trimEnd(), text.slice(text.trimEnd().length)];
      const tail = html`${link}${renderLines(space)}`;
      return kind === 'added'
        ? html`<ins>${renderLines(words)}</ins>${tail}`
        : html`<del>${renderLines(words)}</del>${tail}`;
    })}
  </p>`;
}

/** Shows a sentence next to a similar text: its differing words are highlighted, long equal parts are left out. */
export function renderOtherWords(text: string, sentence: string): Html {
  const all = wordChanges(text, sentence).filter(({ kind }) => kind !== 'removed');
  return html`${all.map(({ kind, text: words }, index) =>
    kind === 'added'
      ? html`<strong>${words.trimEnd()}</strong> `
      : html`${clipUnchanged(words, index === 0, index === all.length - 1)}`,
  )}`;
}

function renderLines(text: string): Html[] {
  return text.split('\n').map((line, index) => (index === 0 ? html`${line}` : html`<br />${line}`));
}
