/** A changed wording as one text, with what went and what came. */
import { wordChanges } from '../../../gate/rules/word-changes.ts';
import { html, type Html } from '../../../report/html/html.ts';

/** Each of more changes in one rule has no link of its own; the rule has one. */
const MOST_LINKS = 6;

export type WordDiffOptions = {
  /** Makes the link behind changed words, where they can be commented on. */
  say?: (words: string) => Html | undefined;
  /** Of words that stay only those next to a change. */
  brief?: boolean;
};

const CONTEXT_WORDS = 2;
/** Fewer are read sooner than the mark that they are left out. */
const LEAST_LEFT_OUT = 2;

function around(text: string, isFirst: boolean, isLast: boolean): string {
  const words = text.split(/\s+/).filter(Boolean);
  if (words.length <= LEAST_LEFT_OUT + 2 * CONTEXT_WORDS) return text;
  const [head, tail] = [words.slice(0, CONTEXT_WORDS), words.slice(-CONTEXT_WORDS)];
  return `${isFirst ? '' : head.join(' ')} … ${isLast ? '' : `${tail.join(' ')} `}`;
}

export function wordDiffHtml(
  before: string | undefined,
  after: string | undefined,
  { say = () => undefined, brief = false }: WordDiffOptions = {},
): Html {
  if (before === undefined) return html`<p class="words">${lines(after ?? '')}</p>`;
  if (after === undefined) return html`<p class="words"><del>${lines(before)}</del></p>`;
  let links = 0;
  return html`<p class="words">
    ${wordChanges(before, after).map(({ kind, text }, index, all) => {
      if (kind === 'same') return html`${lines(brief ? around(text, index === 0, index === all.length - 1) : text)}`;
      // A replacement has one link, behind the new words.
      const isReplaced = kind === 'removed' && all[index + 1]?.kind === 'added';
      const link = links < MOST_LINKS && !isReplaced ? say(text) : undefined;
      if (link !== undefined) links += 1;
      // The link follows the words, not on the next line.
      const [words, space] = link === undefined ? [text, ''] : [text.trimEnd(), text.slice(text.trimEnd().length)];
      const tail = html`${link}${lines(space)}`;
      return kind === 'added' ? html`<ins>${lines(words)}</ins>${tail}` : html`<del>${lines(words)}</del>${tail}`;
    })}
  </p>`;
}

/** A sentence next to a similar text: differing words are highlighted, and long equal parts are left out. */
export function otherWords(text: string, sentence: string): Html {
  const all = wordChanges(text, sentence).filter(({ kind }) => kind !== 'removed');
  return html`${all.map(({ kind, text: words }, index) =>
    kind === 'added'
      ? html`<strong>${words.trimEnd()}</strong> `
      : html`${around(words, index === 0, index === all.length - 1)}`,
  )}`;
}

function lines(text: string): Html[] {
  return text.split('\n').map((line, index) => (index === 0 ? html`${line}` : html`<br />${line}`));
}
