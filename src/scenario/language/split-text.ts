/** Cuts text of any script into sentences and words. */
import { toPlainWords } from './fold-text.ts';
import { rememberTexts } from './remember-texts.ts';

/** Scripts that do not separate words by spaces. */
const SCRIPTS = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`;
const UNSPACED = new RegExp(SCRIPTS, 'v');
/** Matches a character of a word that is set apart by spaces: next to it a word does not begin or end. */
export const SPACED_CHARACTER = String.raw`[[\p{L}\p{N}]--${SCRIPTS}]`;
const CLOSING = String.raw`["'”’»)）」』】*_]*`;
/** A full stop and its like need a space after them, because they stand in numbers and names; the stops of other scripts do not. */
const SENTENCE_BREAK = new RegExp(
  String.raw`(?<!\b(?:Dr|Mr|Mrs|Ms|St|No|Nr|approx|e\.g|i\.e)\.)(?<=[.!?…])${CLOSING}\s+|(?<=(?![.!?…])\p{Sentence_Terminal})${CLOSING}\s*|\n+`,
  'u',
);
const SENTENCE_END = new RegExp(String.raw`(?:\p{Sentence_Terminal}|…)${CLOSING}$`, 'u');

export function isUnspaced(text: string): boolean {
  return UNSPACED.test(text);
}

/** Splits after the sentence ends of all scripts and at line breaks; without emphasis and empty parts. */
export const splitSentences = rememberTexts((text): readonly string[] =>
  text
    .split(SENTENCE_BREAK)
    .map((sentence) => sentence.replaceAll('**', '').trim())
    .filter((sentence) => sentence !== ''),
);

export function endsSentence(text: string): boolean {
  return SENTENCE_END.test(text.trim());
}

/** Splits into words with what follows them, so that joining the parts gives the text. */
export function splitWords(text: string): string[] {
  return (text.match(/\S+\s*|^\s+/g) ?? []).flatMap((part) => (isUnspaced(part) ? segmentWords(part) : [part]));
}

/** Lists the folded words of a text, without punctuation. */
export const listWords = rememberTexts((text): readonly string[] =>
  toPlainWords(text)
    .split(' ')
    .flatMap((word) => (isUnspaced(word) ? segmentWords(word) : [word]))
    .filter((word) => word !== ''),
);

/** True when the text holds the value, as whole words where words are set apart. */
export function holdsValue(text: string, value: string): boolean {
  const [asked, own] = [toPlainWords(text), toPlainWords(value)];
  if (isUnspaced(own)) return asked.includes(own);
  return own.length > 2 && ` ${asked} `.includes(` ${own} `);
}

let segmenter: Intl.Segmenter | undefined;

/** Cuts by the dictionary of the engine, which is loaded for the first such word. */
function segmentWords(text: string): string[] {
  segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' });
  const parts: string[] = [];
  for (const { segment } of segmenter.segment(text)) {
    if (segment.trim() === '' && parts.length > 0) parts[parts.length - 1] += segment;
    else parts.push(segment);
  }
  return parts;
}
