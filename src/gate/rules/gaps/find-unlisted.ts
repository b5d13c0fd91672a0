/** Finds kinds of cases that a source lists beside values of an attribute, and that the design has nowhere. */
import { BEGINNING, listEnumerations } from './list-enumerations.ts';
import { listRuleLines, longAttribute, toArray, type Cases } from '../../../scenario/cases/cases.ts';
import type { BusinessRule, FormatSpec } from '../../../scenario/design.ts';
import { toPlainWords } from '../../../scenario/language/fold-text.ts';
import { isUnspaced, listWords } from '../../../scenario/language/split-text.ts';
import { areWordForms, significantWords } from '../../../scenario/language/word-forms.ts';
import type { SourceText } from '../find-quote.ts';
import type { DesignGap } from './design-gap.ts';

/** The fewest values that a list must share with an attribute to be a list of its kind. */
export const LEAST_SHARED = 2;

type KindOfCase = { name: string; values: string[] };

export function findUnlisted(
  { cases, tools }: Pick<FormatSpec, 'tools'> & { cases: Cases },
  rules: readonly BusinessRule[],
  sources: readonly SourceText[],
): DesignGap[] {
  const kinds = listKinds(cases);
  const known = [...kinds.flatMap(({ values }) => values), ...listDecided(rules, tools)];
  const found = sources.filter(({ path }) => !/\.(ya?ml|jsonl?|csv|tsv)$/i.test(path)).flatMap(listEnumerations);
  const gaps = kinds.flatMap(({ name, values }) =>
    found.flatMap(({ file, line, items }) => {
      const shared = items.map((item) => findNamed(values, item));
      const isOfKind = new Set(shared.filter((value) => value !== undefined)).size >= LEAST_SHARED;
      if (!isOfKind) return [];
      const missing = items.filter(
        (item, at) =>
          item !== '' &&
          !item.startsWith(BEGINNING) &&
          shared[at] === undefined &&
          (shared[at - 1] !== undefined || shared[at + 1] !== undefined) &&
          !isKnown(item, { name, shared, known }),
      );
      return missing.map((item) => ({
        name: item,
        text: `“${item}” stands in ${file}:${line} beside ${listShared(shared)}; it is no value of “${name}”, and no rule is about it`,
      }));
    }),
  );
  return gaps.filter(({ name }, at) => gaps.findIndex((gap) => isSame(gap.name, name)) === at);
}

export function listKinds({ attributes }: Cases): KindOfCase[] {
  return Object.entries(attributes).flatMap(([name, short]) => {
    const { values, means } = longAttribute(short);
    const words = toArray(values).filter((value) => typeof value === 'string');
    return typeof values === 'string' || words.length < LEAST_SHARED ? [] : [{ name: means ?? name, values: words }];
  });
}

/** Lists the outcomes that rules demand and the tools that they are about: what these name is decided somewhere. */
export function listDecided(rules: readonly BusinessRule[], tools: FormatSpec['tools']): string[] {
  const demanded = rules.flatMap((rule) =>
    listRuleLines(rule).flatMap(({ demands }) => [...Object.keys(demands), ...Object.values(demands).flat()]),
  );
  const own = tools.filter((tool) => rules.some(({ applies_to }) => applies_to.includes(tool.name)));
  return [...demanded.filter((value) => typeof value === 'string'), ...own.map((tool) => tool.name)];
}

/** The value that an item names with every word, or with those that mean something: two values may differ in a short word alone. */
const findNamed = (values: readonly string[], item: string): string | undefined =>
  values.find((value) => listWords(toPlainWords(value)).every((word) => hasWord(item, word))) ??
  values.find((value) => isNamed(value, item));

/** Whether an item names a value with all its words that mean something. */
export function isNamed(value: string, item: string): boolean {
  const words = significantWords(toPlainWords(value));
  return words.length > 0 && words.every((word) => hasWord(item, word));
}

type Beside = { name: string; shared: readonly (string | undefined)[]; known: readonly string[] };

/**
 * Whether a text says in other words what the design has, and what nothing beside it names: by a word that several of its names have,
 * or by half of the words that this kind does not have in common. One word of one name is not enough: `old_card` is no old vase.
 */
export function isKnown(text: string, { name, shared, known }: Beside): boolean {
  const names = known.filter((value) => !shared.includes(value)).map((value) => listWords(toPlainWords(value)));
  const found = listWords(text)
    .filter((word) => !hasWord(name, word))
    .map((word) => ({ word, of: isLong(word) ? names.filter((own) => own.some((one) => isForm(one, word))) : [] }));
  const telling = found.filter(({ word, of }) => of.length > 0 || significantWords(word).length > 0);
  return (
    telling.some(({ of }) => of.length > 1 || of.some((own) => own.filter(isLong).length < 2)) ||
    names.some((own) => telling.filter(({ of }) => of.includes(own)).length > (telling.length - 1) / 2)
  );
}

const isLong = (word: string): boolean => word.length > (isUnspaced(word) ? 1 : 2);

const isForm = (one: string, word: string): boolean =>
  isUnspaced(word) ? one.includes(word) : areWordForms(one, word);

function hasWord(item: string, word: string): boolean {
  return isUnspaced(word) ? item.includes(word) : listWords(item).some((other) => areWordForms(word, other));
}

export function listShared(shared: readonly (string | undefined)[]): string {
  return [...new Set(shared.filter((value) => value !== undefined))]
    .map((value) => value.replaceAll('_', ' '))
    .join(', ');
}

function isSame(one: string, other: string): boolean {
  const [words, others] = [one, other].map((text) => significantWords(text));
  return words?.every((word) => others?.some((also) => areWordForms(word, also))) === true;
}
