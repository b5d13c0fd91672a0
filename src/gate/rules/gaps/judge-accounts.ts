/** Judges what Init says became of each sentence of the brief: whether it says so, and whether the design has what carries it. */
import { longAttribute, toArray } from '../../../scenario/cases/cases.ts';
import type { BusinessRules, FormatSpec } from '../../../scenario/design.ts';
import type { SentenceAccount } from '../../../scenario/handoff.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import type { DesignCheck } from '../design-checks.ts';
import type { SourceText } from '../find-quote.ts';
import type { AccountedText } from '../review-pack.ts';
import { listSections } from '../source-sections.ts';
import { accountFor } from './account-for.ts';
import { listKinds, listNamed } from './find-unlisted.ts';
import { listParagraphs } from './list-enumerations.ts';

type AccountedDesign = { rules: BusinessRules; format: FormatSpec; accounts: readonly SentenceAccount[] };

/** Numbers the sentences of the brief, headings left out, from 1. */
export function listBriefSentences(sources: readonly SourceText[]): { place: string; text: string; parts: string[] }[] {
  return sources
    .filter(({ path }) => path === 'brief.md')
    .flatMap(listParagraphs)
    .flatMap(({ sentences }) => sentences)
    .map((sentence, at) => ({ place: String(at + 1), ...sentence }));
}

/** Lists the sentences, and the sections of other sources that have no rule and that Init accounts for. */
export function judgeAccounts(design: AccountedDesign, sources: readonly SourceText[]): AccountedText[] {
  const hasName = nameFinder(design.format, design.rules);
  const sentences = listBriefSentences(sources).map(({ place, text }) => joinAccounts(place, text, design.accounts));
  const bare = listSections(design.rules.rules, sources).flatMap(({ file, sections }) =>
    sections.filter(({ rules }) => rules.length === 0).map(({ line, title }) => ({ place: `${file}:${line}`, title })),
  );
  const sections = bare.map(({ place, title }) => joinAccounts(place, title, design.accounts)).filter(isAccounted);
  return [...sentences, ...sections].map((one) => {
    const unknown = one.by.filter((name) => !hasName(name));
    if (!isAccounted(one)) return { ...one, doubt: 'is not accounted for' };
    return unknown.length === 0 ? one : { ...one, doubt: `the design has no ${unknown.join(', ')}` };
  });
}

const isAccounted = ({ by, none }: AccountedText): boolean => by.length > 0 || none !== undefined;

export function checkAccounts(accounted: readonly AccountedText[]): DesignCheck {
  const open = accounted.flatMap(({ place, text, doubt }) =>
    doubt === undefined
      ? []
      : [`“${cutSentence(text)}” (${/^\d+$/.test(place) ? 'brief, sentence ' : ''}${place}): ${doubt}`],
  );
  const detail = open.length === 0 ? `${accounted.length} accounted for` : open.join(' · ');
  return { name: 'the design says what became of each sentence of the brief', ok: open.length === 0, detail };
}

/** More than a glance takes; the whole sentence stands in the list of all. */
const LONGEST_QUOTE = 40;

function cutSentence(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= LONGEST_QUOTE) return text;
  return `${characters
    .slice(0, LONGEST_QUOTE)
    .join('')
    .replace(/\s+\S*$/, '')} …`;
}

/** The share of a sentence that what carries it has at least. */
const RELATED = 0.05;

/** Lists what Init alone is asked: such a question has no point too often to be shown at the gate. */
export function listAccountQuestions(design: AccountedDesign, sources: readonly SourceText[]): string[] {
  const { cases } = design.format;
  const kinds = cases === undefined ? [] : listKinds(cases);
  const sentences = listBriefSentences(sources).map(({ parts, ...one }) => ({
    ...joinAccounts(one.place, one.text, design.accounts),
    parts,
  }));
  const rules = new Set(design.rules.rules.map(({ id }) => id));
  const carried = sentences.filter(({ by }) => by.some((name) => rules.has(name)));
  const apart = carried.filter((one) => measureShare(one, design, sources) < RELATED);
  // Rules in another language than the brief share words with none of its sentences.
  const canCompare = apart.length * 2 <= carried.length;
  return sentences.flatMap((sentence) => {
    const { place, text, by, none, parts } = sentence;
    const namesKinds = kinds.some((kind) => listNamed(kind.values, parts).length > 1);
    const hasValues = by.filter((name) => name.includes('=')).length > 1;
    const isLarge = none === 'background' && (/\p{Nd}/u.test(text) || namesKinds);
    return [
      ...(isLarge ? ['has a number or names kinds of cases: is it background?'] : []),
      ...(hasValues && parts.length > by.length
        ? [`has ${parts.length} parts, and its account names ${by.length}`]
        : []),
      ...(canCompare && apart.includes(sentence) ? [`has hardly a word in common with ${by.join(', ')}`] : []),
    ].map((question) => `${place}: “${text}” ${question}`);
  });
}

function joinAccounts(place: string, text: string, accounts: readonly SentenceAccount[]): AccountedText {
  const [file] = place.split(':');
  const own = accounts.filter((account) => account.of.some((name) => String(name) === place || name === file));
  const { none, why } = own.find((account) => account.none !== undefined) ?? {};
  return { place, text, by: own.flatMap(({ by }) => by), ...omitUndefined({ none, why }) };
}

/** Finds whether the design has what an account names: `R3`, a tool, a category, an outcome, `attribute` or `attribute=value`. */
function nameFinder({ cases, tools, categories }: FormatSpec, { rules }: BusinessRules): (name: string) => boolean {
  const ids = [...rules, ...categories].map(({ id }) => id);
  const names = new Set([...ids, ...tools.map(({ name }) => name), ...Object.keys(cases?.outcomes ?? {})]);
  return (name) => {
    const [attribute = '', value] = name.split('=');
    const short = cases?.attributes[attribute];
    if (short === undefined) return names.has(name);
    const { values } = longAttribute(short);
    return value === undefined || typeof values === 'string' || toArray<unknown>(values).map(String).includes(value);
  };
}

/** Measures how much of a sentence what carries it has. */
function measureShare(
  { text, by }: AccountedText,
  { rules, format }: AccountedDesign,
  sources: readonly SourceText[],
): number {
  const named = new Set(by.map((name) => name.replace(/=.*/, '')));
  const all = Object.entries(format.cases?.attributes ?? {});
  const attributes = Object.fromEntries(all.filter(([name]) => named.has(name)));
  const own = rules.rules.filter(({ id }) => named.has(id));
  const brief = sources.filter(({ path }) => path === 'brief.md');
  return accountFor({ ...format, cases: { attributes } }, own, brief)(text).share;
}
