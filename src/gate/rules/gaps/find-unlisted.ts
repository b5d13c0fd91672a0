/** Finds kinds of cases that a source names beside values of an attribute, and that the design accounts for nowhere. */
import { hasForm, lengthOfWords, listStems, type Account, type ToldSentence } from './account-for.ts';
import { isShort, listEnumerations, listParagraphs } from './list-enumerations.ts';
import { longAttribute, toArray, type Cases } from '../../../scenario/cases/cases.ts';
import { toPlainWords } from '../../../scenario/language/fold-text.ts';
import { isUnspaced } from '../../../scenario/language/split-text.ts';
import type { SourceText } from '../find-quote.ts';
import type { DesignGap } from './design-gap.ts';

/** The fewest values that a list must share with an attribute to be a list of its kind. */
const LEAST_SHARED = 2;
/** An item that names a value may say more around it than one that names what is missing. */
const SLACK = 1.5;
/** The fewest letters of the words that brief and policy share, and the design has nowhere. */
const LEAST_LETTERS = 6;
/** The shares below which a text is not accounted for (docs/internals/gaps.md says how they were chosen). */
const ACCOUNTED = { item: 0.4, part: 0.3, policy: 0.6 };

type KindOfCase = { name: string; values: string[] };
type Accounting = { account: (text: string) => Account; policies: readonly ToldSentence[] };

/** `sources` are those that are prose. */
export function findUnlisted(cases: Cases, sources: readonly SourceText[], accounting: Accounting): DesignGap[] {
  const kinds = listKinds(cases);
  const gaps = [...findInLists(sources, kinds, accounting), ...findToldTwice(sources, kinds, accounting)];
  const words = gaps.map(({ name }) => listStems(name));
  return gaps.filter((_, at) => !words.slice(0, at).some((other) => words[at]?.every((word) => hasForm(other, word))));
}

/** Finds items between or beside values, in tables, lists and sentences. */
function findInLists(
  sources: readonly SourceText[],
  kinds: readonly KindOfCase[],
  { account }: Accounting,
): DesignGap[] {
  return sources.flatMap(listEnumerations).flatMap(({ file, line, items, mostWords }) =>
    kinds.flatMap(({ name, values }) => {
      // A long statement keeps the items beside it apart; the first item begins with the sentence.
      const parts = items.map((item, at) => (at === 0 || isShort(item, mostWords * SLACK) ? item : ''));
      const shared = parts.map((part) => values.find((value) => isNamed(value, part)));
      const named = listNamed(values, parts);
      if (named.length < LEAST_SHARED || shared.filter((value) => value !== undefined).length < LEAST_SHARED) return [];
      const missing = items.filter((item, at) => {
        const isBeside = shared[at - 1] !== undefined || shared[at + 1] !== undefined;
        if (shared[at] !== undefined || !isBeside || !isShort(item, mostWords)) return false;
        return account(item).share < ACCOUNTED.item;
      });
      return missing.map((item) => tellGap(item, `${file}:${line} beside ${showValues(named)}`, name));
    }),
  );
}

/** Finds parts of a paragraph of the brief that names values of a kind, where a policy says more of them: neither is accounted for. */
function findToldTwice(
  sources: readonly SourceText[],
  kinds: readonly KindOfCase[],
  { account, policies }: Accounting,
): DesignGap[] {
  // The title of the brief names the subject of everything, and no kind.
  const title = sources.flatMap(({ path, text }) => (path === 'brief.md' ? (/^#.*/.exec(text) ?? []) : [])).join(' ');
  const findPolicy = ({ share, unknown }: Account) =>
    policies.find((policy) => {
      const shared = unknown.filter((word) => policy.unknown.some((other) => isPartOf(word, other)));
      const isTold = share >= ACCOUNTED.part || policy.share >= ACCOUNTED.policy;
      const own = shared.filter((word) => !isNamed(word, title));
      const isEnough = own.join('').length >= lengthOfWords(own[0] ?? 'none', LEAST_LETTERS);
      return !isTold && isEnough && own.length > (policy.isStory ? 1 : 0);
    });
  const brief = sources.filter(({ path }) => path === 'brief.md').flatMap(listParagraphs);
  return brief.flatMap(({ file, line, sentences }) => {
    const parts = sentences.flatMap((sentence) => sentence.parts);
    const named = kinds.map(({ name, values }) => ({ name, named: listNamed(values, parts) }));
    const kind = named.find((own) => own.named.length >= LEAST_SHARED);
    return parts.flatMap((part) => {
      const more = kind === undefined ? undefined : findPolicy(account(part));
      if (kind === undefined || more === undefined) return [];
      const place = `${file}:${line} beside ${showValues(kind.named)}, and ${more.file}:${more.line} says more of it`;
      return [tellGap(part, place, kind.name)];
    });
  });
}

/** Whether words are forms of one, or one ends as a compound does: `Geschenkgutschein`, `Gutschein`. */
const isPartOf = (one: string, other: string): boolean =>
  hasForm([one], other) ||
  (Math.min(one.length, other.length) >= LEAST_LETTERS && (one.endsWith(other) || other.endsWith(one)));

const tellGap = (name: string, place: string, kind: string): DesignGap => ({
  name,
  text: `“${name}” stands in ${place}; it is no value of “${kind}”, and no rule is about it`,
});

export function listKinds({ attributes }: Cases): KindOfCase[] {
  return Object.entries(attributes).flatMap(([name, short]) => {
    const { values, means } = longAttribute(short);
    const words = toArray(values).filter((value) => typeof value === 'string');
    return typeof values === 'string' || words.length < LEAST_SHARED ? [] : [{ name: means ?? name, values: words }];
  });
}

/** Lists the values that texts name, without those that stand in the name of another: a gift card is no card. */
export function listNamed(values: readonly string[], texts: readonly string[]): string[] {
  const named = values.filter((value) => texts.some((text) => isNamed(value, text)));
  return named.filter((value) => !named.some((other) => other !== value && isNamed(value, toPlainWords(other))));
}

/** Whether a text names a value with all its words that mean something. */
function isNamed(value: string, text: string): boolean {
  const plain = toPlainWords(value);
  // Verb and object are one word there, and may stand apart: `改期`, `改婚期`.
  if (isUnspaced(plain) && new RegExp(Array.from(plain.replaceAll(' ', '')).join('.{0,2}'), 'u').test(text))
    return true;
  const words = listStems(plain).filter((word) => word.length >= lengthOfWords(word, 3));
  const own = listStems(text);
  return words.length > 0 && words.every((word) => (isUnspaced(word) && text.includes(word)) || hasForm(own, word));
}

const showValues = (values: readonly string[]): string => values.map((value) => value.replaceAll('_', ' ')).join(', ');
