/** Finds kinds of cases that a source names beside values of an attribute, and that the design accounts for nowhere. */
import { accountFor, hasForm, lengthOfWords, listStems, type Account } from './account-for.ts';
import { isShort, listEnumerations, listParagraphs } from './list-enumerations.ts';
import { longAttribute, toArray, type Cases } from '../../../scenario/cases/cases.ts';
import type { BusinessRule, FormatSpec } from '../../../scenario/design.ts';
import { toPlainWords } from '../../../scenario/language/fold-text.ts';
import { isUnspaced } from '../../../scenario/language/split-text.ts';
import type { SourceText } from '../find-quote.ts';
import type { DesignGap } from './design-gap.ts';

/** The fewest values that a list must share with an attribute to be a list of its kind. */
const LEAST_SHARED = 2;
/** An item that names a value may say more around it than one that names what is missing. */
const SLACK = 1.5;
/** The shares below which a text is not accounted for (docs/internals/gaps.md says how they were chosen). */
const ACCOUNTED = { item: 0.4, part: 0.2, policy: 0.4 };

type KindOfCase = { name: string; values: string[] };
type Accounting = { kinds: KindOfCase[]; account: (text: string) => Account };

export function findUnlisted(
  design: Pick<FormatSpec, 'tools'> & { cases: Cases },
  rules: readonly BusinessRule[],
  given: readonly SourceText[],
): DesignGap[] {
  const sources = given.filter(({ path }) => !/\.(ya?ml|jsonl?|csv|tsv)$/i.test(path));
  const accounting = { kinds: listKinds(design.cases), account: accountFor(design, rules, sources) };
  const gaps = [...findInLists(sources, accounting), ...findToldTwice(sources, accounting)];
  const words = gaps.map(({ name }) => listStems(name));
  return gaps.filter((_, at) => !words.slice(0, at).some((other) => words[at]?.every((word) => hasForm(other, word))));
}

/** Finds items between or beside values, in tables, lists and sentences. */
function findInLists(sources: readonly SourceText[], { kinds, account }: Accounting): DesignGap[] {
  return sources.flatMap(listEnumerations).flatMap(({ file, line, items, mostWords }) =>
    kinds.flatMap(({ name, values }) => {
      // A long statement keeps the items beside it apart; the first item begins with the sentence.
      const parts = items.map((item, at) => (at === 0 || isShort(item, mostWords * SLACK) ? item : ''));
      const shared = parts.map((part) => values.find((value) => isNamed(value, part)));
      const named = listNamed(values, parts);
      if (named.length < LEAST_SHARED) return [];
      const missing = items.filter((item, at) => {
        const isBeside = shared[at - 1] !== undefined || shared[at + 1] !== undefined;
        if (shared[at] !== undefined || !isBeside || !isShort(item, mostWords)) return false;
        const { share, untold } = account(item);
        return untold.length > 0 && share < ACCOUNTED.item;
      });
      return missing.map((item) => tellGap(item, `${file}:${line} beside ${showValues(named)}`, name));
    }),
  );
}

/** Finds parts of the brief beside values of a kind, of which a policy says more: neither is accounted for. */
function findToldTwice(sources: readonly SourceText[], { kinds, account }: Accounting): DesignGap[] {
  const paragraphs = sources.flatMap(listParagraphs);
  const policies = paragraphs
    .filter(({ file }) => file !== 'brief.md')
    .flatMap(({ file, line, sentences }) => sentences.map(({ text }) => ({ file, line, ...account(text) })))
    .filter(({ share }) => share < ACCOUNTED.policy);
  const findKind = (texts: readonly string[]) =>
    kinds
      .map(({ name, values }) => ({ name, named: listNamed(values, texts) }))
      .find(({ named }) => named.length >= LEAST_SHARED);
  return paragraphs
    .filter(({ file }) => file === 'brief.md')
    .flatMap(({ file, line, sentences }) =>
      sentences.flatMap(({ parts }, at) =>
        parts.flatMap((part) => {
          const { share, untold } = account(part);
          if (untold.length === 0 || share >= ACCOUNTED.part) return [];
          const more = policies.find((other) => untold.some((word) => hasForm(other.untold, word)));
          const beside = [parts.filter((other) => other !== part), sentences[at - 1]?.parts, sentences[at + 1]?.parts];
          const kind = beside.map((texts) => findKind(texts ?? [])).find((found) => found !== undefined);
          if (more === undefined || kind === undefined) return [];
          const place = `${file}:${line} beside ${showValues(kind.named)}, and ${more.file}:${more.line} says more of it`;
          return [tellGap(part, place, kind.name)];
        }),
      ),
    );
}

const tellGap = (name: string, place: string, kind: string): DesignGap => ({
  name,
  text: `“${name}” stands in ${place}; it is no value of “${kind}”, and no rule is about it`,
});

function listKinds({ attributes }: Cases): KindOfCase[] {
  return Object.entries(attributes).flatMap(([name, short]) => {
    const { values, means } = longAttribute(short);
    const words = toArray(values).filter((value) => typeof value === 'string');
    return typeof values === 'string' || words.length < LEAST_SHARED ? [] : [{ name: means ?? name, values: words }];
  });
}

/** Lists the values that texts name, without those that stand in the name of another: a gift card is no card. */
function listNamed(values: readonly string[], texts: readonly string[]): string[] {
  const named = values.filter((value) => texts.some((text) => isNamed(value, text)));
  return named.filter((value) => !named.some((other) => other !== value && isNamed(value, toPlainWords(other))));
}

/** Whether a text names a value with all its words that mean something. */
function isNamed(value: string, text: string): boolean {
  const words = listStems(toPlainWords(value)).filter((word) => word.length >= lengthOfWords(word, 3));
  const own = listStems(text);
  return words.length > 0 && words.every((word) => (isUnspaced(word) ? text.includes(word) : hasForm(own, word)));
}

const showValues = (values: readonly string[]): string => values.map((value) => value.replaceAll('_', ' ')).join(', ');
