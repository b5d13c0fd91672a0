/** Reads the values of a text in any script, by the patterns of `values.yaml` and by how the engine calls months, weekdays and units. */
import { z } from 'zod';
import { readOwnText } from '../../own-file.ts';
import { replaceAmounts } from '../../scenario/language/amounts.ts';
import { foldText } from '../../scenario/language/fold-text.ts';
import { rememberTexts } from '../../scenario/language/remember-texts.ts';
import { listWords } from '../../scenario/language/split-text.ts';
import { isSmallWord, LANGUAGES, readYaml } from '../scripted-user/languages.ts';
import { writeDigits } from './number-words.ts';

export const DAY_MS = 86_400_000;
/** Times and spans are in minutes. */
export const DAY = 1440;
export const WEEK = 7 * DAY;
const UNITS = { minute: 1, hour: 60, day: DAY, week: WEEK, month: 30 * DAY, year: 365 * DAY };

/** Sentences of other languages hold digits as well. */
const LOCALES = 'en de zh ja fr es it pt nl pl tr sv da cs ru uk vi id'.split(' ');
/** Short names of other languages are words of other meanings. */
const SHORT = { month: ['en', 'de'], weekday: ['zh'] };

type Named = [parts: { type: string; value: string }[], value: number];

/** From the second of January 2000, which was a Sunday. */
function nameDays(kind: 'month' | 'weekday', style: 'long' | 'short', locales: readonly string[]): Named[] {
  const [count, step] = kind === 'month' ? [12, 31] : [7, 1];
  return locales.flatMap((locale) => {
    const format = new Intl.DateTimeFormat(locale, { day: 'numeric', [kind]: style, timeZone: 'UTC' });
    return Array.from({ length: count }, (_, at): Named => [
      format.formatToParts(Date.UTC(2000, 0, 2 + at * step)),
      at,
    ]);
  });
}

function nameUnits(): Named[] {
  return LOCALES.flatMap((locale) =>
    Object.entries(UNITS).flatMap(([unit, minutes]) => {
      const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' });
      return [1, 2, 5].map((count): Named => [format.formatToParts(count), minutes]);
    }),
  );
}

/** The names of a kind, the longest first, as a pattern needs them; asked for late, because the engine needs a tenth of a second. */
export const readNames = rememberTexts((kind: string): ReadonlyMap<string, number> => {
  const isDay = kind === 'month' || kind === 'weekday';
  const named = isDay ? [...nameDays(kind, 'long', LOCALES), ...nameDays(kind, 'short', SHORT[kind])] : nameUnits();
  const names = named.flatMap(([parts, value]) => {
    const name = parts.find(({ type }) => type === kind)?.value ?? '';
    return /^\p{L}/u.test(name) ? [[writeDigits(name).toLowerCase(), value] as const] : [];
  });
  return new Map(names.toSorted(([one], [other]) => other.length - one.length));
});

const Kind = z.enum(['day', 'weekday', 'clock', 'name', 'amount', 'span', 'unit', 'count']);
const PATTERNS = z.record(Kind, z.array(z.string())).parse(readYaml(readOwnText('./values.yaml', import.meta.url)));
PATTERNS.clock.unshift(...LANGUAGES.flatMap(({ clock }) => clock.map(({ source }) => source)));

export type ValueKind = z.infer<typeof Kind>;

/** A day counts from 1970, in the year 2000 where none is named; a clock has twelve hours; a span is in minutes. */
export type Value = {
  kind: ValueKind;
  value: number;
  /** As it was written, with numbers in digits. */
  text: string;
  /** The thing that is counted. */
  noun: string;
};

/** The content of a text: `words` are those that belong to no value. */
export type ReadText = { values: readonly Value[]; words: readonly string[] };

export const HALF_DAY = 720;

const NUMBER = String.raw`(?<![\p{Script=Latin}\d.,])(?<number>\d{1,3}(?:[,.'’ ]\d{3})+|\d+(?:[.,]\d{1,2})?)(?![\d%])`;

const openPattern = rememberTexts((source) => {
  const named = source.replaceAll(/MONTH|WEEKDAY|UNIT/g, (kind) => [...readNames(kind.toLowerCase()).keys()].join('|'));
  return new RegExp(named.replace('NUMBER', NUMBER), 'giu');
});

type Groups = Record<string, string | undefined>;

function readNumber({ number = '1' }: Groups): number {
  const isGrouped = /^\d{1,3}(?:[,.'’ ]\d{3})+$/.test(number);
  return Number(isGrouped ? number.replaceAll(/\D/g, '') : number.replace(',', '.'));
}

function readClock({ hour, minute, minutes, ...names }: Groups): number {
  const [named = ''] = Object.entries(names).find(([, written]) => written !== undefined) ?? [];
  const moved = Number(/\d+/.exec(named)?.[0] ?? 0) * (named.startsWith('less') ? -1 : 1);
  return (Number(hour) * 60 + Number(minute ?? minutes ?? 0) + moved + HALF_DAY) % HALF_DAY;
}

function readValue(kind: ValueKind, groups: Groups): number {
  const { year = 2000, month = 1, day, name = '' } = groups;
  const find = (names: string): number | undefined => readNames(names).get(name.toLowerCase());
  if (kind === 'day') return Date.UTC(Number(year), find('month') ?? Number(month) - 1, Number(day)) / DAY_MS;
  if (kind === 'weekday') return find('weekday') ?? 0;
  return kind === 'clock' ? readClock(groups) : readNumber(groups) * (find('unit') ?? 1);
}

/** Patterns take time that grows by the square of a text: long ones are read in parts. */
export const readValues = rememberTexts((text): ReadText => {
  const parts = (text.match(/[^]{1,1000}/g) ?? []).map(readPart);
  return { values: parts.flatMap(({ values }) => values), words: parts.flatMap(({ words }) => words) };
});

function readPart(text: string): ReadText {
  const values: Value[] = [];
  let rest = writeDigits(text);
  const take = (value: Value): string => {
    values.push(value);
    return ' ; ';
  };
  for (const kind of Kind.options) {
    if (kind === 'amount') rest = replaceAmounts(rest, (value) => take({ kind, value, text: String(value), noun: '' }));
    for (const pattern of PATTERNS[kind].map(openPattern))
      rest = rest.replaceAll(pattern, (written: string, ...found: unknown[]) => {
        const groups = (found.at(-1) ?? {}) as Groups;
        const noun = foldText(groups['noun'] ?? '');
        return take({ kind, value: readValue(kind, groups), text: written.trim(), noun });
      });
  }
  return { values, words: listWords(rest).filter((word) => !isSmallWord(word)) };
}
