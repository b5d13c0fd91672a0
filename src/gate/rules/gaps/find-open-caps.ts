/** Finds limits of money that do not say what they hold for: "at most 60 euros", of each thing or of all together. */
import {
  listRuleLines,
  listConditions,
  longAttribute,
  parseRange,
  toArray,
  type Cases,
} from '../../../scenario/cases/cases.ts';
import { listNames } from '../../../scenario/cases/readings.ts';
import type { BusinessRule, FormatSpec } from '../../../scenario/design.ts';
import { listAmounts, replaceAmounts } from '../../../scenario/language/amounts.ts';
import { toPlainWords } from '../../../scenario/language/fold-text.ts';
import { listWords, splitSentences } from '../../../scenario/language/split-text.ts';
import { areWordForms, canCompareWords, shareStem } from '../../../scenario/language/word-forms.ts';
import { isJsonObject } from '../../../scenario/json/json-value.ts';
import type { SourceText } from '../find-quote.ts';
import type { DesignGap } from './design-gap.ts';

export function findOpenCaps(
  { cases, world }: Pick<FormatSpec, 'world'> & { cases: Cases },
  rules: readonly BusinessRule[],
  sources: readonly SourceText[] = [],
): DesignGap[] {
  const units = listUnits(cases, world);
  // A world that is named in another language than the rules tells nothing about their words.
  const isNamed = [...rules, ...sources].some(({ text }) => namesAny(text, units));
  const written = readUnitsOfAmounts(sources);
  return rules.flatMap((rule) => {
    const limits = listLimits(rule);
    const isCap = (amount: number) => limits.some(({ value }) => isLimit(amount, value));
    const means = limits.map(({ attribute }) => longAttribute(cases.attributes[attribute] ?? []).means ?? '');
    const open = [rule.text, rule.quote ?? '']
      .flatMap(splitSentences)
      .filter((sentence) => listAmounts(sentence).some(isCap));
    const [first] = open;
    // A quote tells where a rule comes from; what the subject is told is the text.
    const said = listWords([rule.text, ...means].join(' '));
    const caps = listCaps(rule);
    const isPaid = (amount: number) => caps.some((value) => isLimit(amount, value));
    if (!namesAny(rule.text, units) && findOpenEnds(rule.text, said, sources).some(isPaid))
      return [tellOpenCap(rule, rule.text)];
    const isSaid = (names: readonly string[]) => [...open, ...means].some((text) => namesAny(text, names));
    if (first === undefined || !canCompareWords(first) || isSaid(units)) return [];
    const isOpen = (amount: number): boolean => {
      const own = written.get(amount);
      return own === undefined ? isNamed : !isSaid(own);
    };
    if (!open.flatMap(listAmounts).some((amount) => isCap(amount) && isOpen(amount))) return [];
    return [tellOpenCap(rule, first)];
  });
}

const tellOpenCap = ({ id, title }: BusinessRule, sentence: string): DesignGap => ({
  name: id,
  text: `${id} (${title}) limits an amount and does not say for what: “${sentence.trim()}” Of each, or in all?`,
});

/** A number with its unit or currency, and up to three words after them, at the end of a clause: "600 kroner pr. besøg", "£60". */
const CLAUSE_END =
  /(?<![\d.,])(\d+)(?:[.,]00)?(?:(?<=\p{Sc}\s?[\d.,]+)|\s?\p{Sc}|\s\p{L}+)((?:\s\p{L}{1,3}\.|\s\p{L}+){0,3})\s*(?=[,.;:!?)]|$)/gu;
type ClauseEnd = { amount: number; words: string[] };

const listClauseEnds = (text: string): ClauseEnd[] =>
  [...text.replaceAll(/\s+/g, ' ').matchAll(CLAUSE_END)].map(([, amount, rest = '']) => ({
    amount: Number(amount),
    words: listWords(rest).toSorted((one, other) => other.length - one.length),
  }));

/** Finds numbers that end a clause of a rule, unless a source goes on after them with a word that the rule has elsewhere. */
function findOpenEnds(text: string, said: readonly string[], sources: readonly SourceText[]): number[] {
  const written = sources.flatMap((source) => listClauseEnds(source.text));
  return listClauseEnds(text).flatMap(({ amount, words }) => {
    const longest = written.flatMap((end) => (end.amount === amount ? end.words.slice(0, 1) : []));
    const isSaid = longest.some((word) => said.some((own) => shareStem(own, word)));
    return words.length > 0 || isSaid ? [] : [amount];
  });
}

/** The words for "per" that languages set between two units, such as "megabyte per second"; shorter ones mean too much else. */
const PER = ['en', 'de', 'fr', 'es', 'nl', 'el'].flatMap((language) => {
  const format = new Intl.NumberFormat(language, { style: 'unit', unit: 'megabyte-per-second', unitDisplay: 'long' });
  return format.format(1).split(/\s+/).slice(2, -1);
});
const AMOUNT_PER = new RegExp(String.raw`\u0001(\d+)\u0001(?:\s?\p{L}+)?\s(?:${PER.join('|')})\s+(\p{L}+)`, 'giu');

/** Reads what the sources give an amount for: "80 euros per night". */
function readUnitsOfAmounts(sources: readonly SourceText[]): Map<number, string[]> {
  const units = new Map<number, string[]>();
  for (const { text } of sources) {
    const marked = replaceAmounts(text.replaceAll(/\s+/g, ' '), (value) => `\u0001${value}\u0001`);
    for (const [, amount, unit = ''] of marked.matchAll(AMOUNT_PER))
      units.set(Number(amount), [...(units.get(Number(amount)) ?? []), ...listWords(unit)]);
  }
  return units;
}

/** What there may be several of: the lists and maps of the world, and the names that samples give. */
function listUnits({ attributes, names = {} }: Cases, world: unknown): string[] {
  const used = Object.values(attributes).flatMap((short) => listNames(JSON.stringify(longAttribute(short).from ?? '')));
  return [...listCollections(world), ...Object.keys(names), ...used].flatMap((name) => listWords(toPlainWords(name)));
}

function listCollections(schema: unknown, name?: string): string[] {
  if (!isJsonObject(schema)) return [];
  const { properties, additionalProperties, items } = schema;
  const isMany = schema['type'] === 'array' || isJsonObject(additionalProperties);
  return [
    ...(isMany && name !== undefined ? [name] : []),
    ...(isJsonObject(properties) ? Object.entries(properties).flatMap(([key, own]) => listCollections(own, key)) : []),
    ...listCollections(additionalProperties),
    ...listCollections(items),
  ];
}

const namesAny = (text: string, units: readonly string[]): boolean =>
  listWords(text).some((word) => units.some((unit) => areWordForms(word, unit)));

type Limit = { attribute: string; value: number };

/** The numbers at which a rule's lines end or begin, and the most that its arithmetic gives. */
function listLimits(rule: BusinessRule): Limit[] {
  return listRuleLines(rule).flatMap(({ when, demands }) => [
    ...listConditions(when).flatMap((condition) =>
      Object.entries(condition).flatMap(([attribute, wanted]) =>
        toArray(wanted).flatMap((value) => {
          const { from = Infinity, to = Infinity } = parseRange(value) ?? {};
          return [from, from - 1, to].filter(Number.isFinite).map((end) => ({ attribute, value: end }));
        }),
      ),
    ),
    ...Object.entries(demands).flatMap(([attribute, wanted]) =>
      listNumbers(wanted, 'min(').map((value) => ({ attribute, value })),
    ),
  ]);
}

/** The limits that a rule's lines demand too, such as `eur_120` above 120: what is given ends there, in whatever language the rule is. */
function listCaps(rule: BusinessRule): number[] {
  const limits = new Set(listLimits(rule).map(({ value }) => value));
  return listRuleLines(rule)
    .flatMap(({ demands }) => Object.values(demands).flatMap((wanted) => listNumbers(wanted)))
    .filter((value) => limits.has(value));
}

/** Lists the numbers in demanded values, in those only that hold a text. */
const listNumbers = (wanted: unknown, text = ''): number[] =>
  toArray(wanted)
    .filter((value) => String(value).includes(text))
    .flatMap((value) => String(value).match(/\d+/g) ?? [])
    .map(Number);

/** Whether an amount is a limit of the table, which may count in cents. */
const isLimit = (amount: number, limit: number): boolean => limit === amount || limit === Math.round(amount * 100);
