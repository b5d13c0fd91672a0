/** Finds kinds of cases that the brief names in the sentence beside its list: policies tell more of them, and no rule does. */
import { groupLines } from './list-enumerations.ts';
import { isKnown, isNamed, LEAST_SHARED, listDecided, listKinds, listShared } from './find-unlisted.ts';
import type { Cases } from '../../../scenario/cases/cases.ts';
import type { BusinessRule, FormatSpec } from '../../../scenario/design.ts';
import { splitSentences } from '../../../scenario/language/split-text.ts';
import { shareStem, significantWords } from '../../../scenario/language/word-forms.ts';
import type { SourceText } from '../find-quote.ts';
import type { DesignGap } from './design-gap.ts';

/** The share of a sentence's words that a rule must have to be about it. */
const MOST_COVERED = 0.5;

type Paragraph = { file: string; line: number; sentences: string[] };

export function findKindsBeside(
  { cases, tools }: Pick<FormatSpec, 'tools'> & { cases: Cases },
  rules: readonly BusinessRule[],
  sources: readonly SourceText[],
): DesignGap[] {
  const kinds = listKinds(cases);
  const known = [...kinds.flatMap(({ values }) => values), ...listDecided(rules, tools)];
  const told = rules.map(({ title, text, quote = '' }) => significantWords(`${title} ${text} ${quote}`));
  const isTold = (word: string): boolean => told.some((own) => hasForm(own, word));
  const paragraphs = sources.filter(({ path }) => path.endsWith('.md')).flatMap(listParagraphs);
  const policies = paragraphs.filter(({ file }) => file !== 'brief.md');
  const untold = policies
    .flatMap(({ sentences, ...place }) =>
      sentences.map((sentence) => ({ ...place, words: significantWords(sentence) })),
    )
    .filter(({ words }) => !told.some((rule) => isCovered(words, rule)));
  // Sections of the policies without a rule are shown anyway; the sections of a brief beside them are not.
  const briefs = paragraphs.filter(({ file }) => file === 'brief.md');
  return briefs.flatMap((paragraph) =>
    paragraph.sentences.flatMap((sentence, at) => {
      const beside = [paragraph.sentences[at - 1] ?? '', paragraph.sentences[at + 1] ?? ''];
      const kind = kinds
        .map(({ name, values }) => ({
          name,
          shared: beside.map((text) => values.filter((value) => isNamed(value, text))).find(isList) ?? [],
        }))
        .find(({ shared }) => isList(shared));
      if (kind === undefined) return [];
      const own = significantWords(sentence).filter((word) => !isTold(word));
      const [more] = untold
        .map((other) => ({ ...other, shared: own.filter((word) => hasForm(other.words, word)).length }))
        .filter(({ shared }) => shared > 0)
        .toSorted((one, other) => other.shared - one.shared);
      if (more === undefined || isKnown(sentence, { ...kind, known })) return [];
      const text = `“${sentence}” stands in ${paragraph.file}:${paragraph.line} beside ${listShared(kind.shared)}, and ${more.file}:${more.line} says more of it; it is no value of “${kind.name}”, and no rule is about it`;
      return [{ name: sentence, text }];
    }),
  );
}

const isList = (shared: readonly string[]): boolean => shared.length >= LEAST_SHARED;

const ACCENTS = /[\u0300-\u036F]/g;
/** An ending may change the letter before it: `nabrousit`, `nabroušení`. */
const dropAccents = (word: string): string => word.normalize('NFD').replaceAll(ACCENTS, '').normalize('NFC');

const hasForm = (words: readonly string[], word: string): boolean =>
  words.some((other) => shareStem(dropAccents(word), dropAccents(other)));

const isCovered = (words: readonly string[], rule: readonly string[]): boolean =>
  words.filter((word) => hasForm(rule, word)).length >= words.length * MOST_COVERED;

function listParagraphs({ path, text }: SourceText): Paragraph[] {
  return groupLines(text.split(/\r?\n/)).map(({ from, own }) => ({
    file: path,
    line: from + 1,
    sentences: splitSentences(own.join(' ').replaceAll(/\s+/g, ' ')),
  }));
}
