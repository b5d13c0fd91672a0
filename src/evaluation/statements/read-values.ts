/** Reads the values of a text in any script: amounts, days, weekdays, times of day, spans of time, and numbers of things. */
import { replaceAmounts } from '../../scenario/language/amounts.ts';
import { LANGUAGES } from '../scripted-user/languages.ts';
import { writeDigits } from './number-words.ts';

/** A day counts from 1970, in the year 2000 where none is named; times and spans are in minutes; a clock has twelve hours. */
export type Value = {
  kind: 'amount' | 'day' | 'weekday' | 'clock' | 'span' | 'count';
  value: number;
  /** That of a span, in minutes. */
  unit?: number;
  /** A unit without a number, which may be one of it: "until the day before". */
  isBare?: boolean;
  year?: number | undefined;
};

export const DAY_MS = 86_400_000;
export const HALF_DAY = 720;
export const DAY = 2 * HALF_DAY;
const UNITS = { minute: 1, hour: 60, day: DAY, week: 7 * DAY, month: 30 * DAY, year: 365 * DAY };

/** Languages of which the engine knows how they call days, months and units; sentences of others hold digits as well. */
const LOCALES = 'en de zh ja fr es it pt nl pl tr sv da cs ru uk vi id'.split(' ');

type Named = readonly [format: Intl.DateTimeFormat | Intl.NumberFormat, shown: number, value: number];

/** Reads how the formats of all languages call each value; the longest name comes first, as a pattern needs it. */
function readNames(list: (locale: string) => readonly Named[]): ReadonlyMap<string, number> {
  const named = LOCALES.flatMap(list).flatMap(([format, shown, value]) =>
    format.formatToParts(shown).flatMap(({ type, value: name }): [string, number][] => {
      const isName = /month|weekday|unit/.test(type) && /^\p{L}/u.test(name);
      return isName ? [[writeDigits(name).toLowerCase(), value]] : [];
    }),
  );
  return new Map(named.toSorted(([one], [other]) => other.length - one.length));
}

const nameDays = (
  locale: string,
  { length, step }: { length: number; step: number },
  options: Intl.DateTimeFormatOptions,
) =>
  // The second of January 2000 was a Sunday.
  Array.from({ length }, (_, at): Named => [
    new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }),
    Date.UTC(2000, 0, 2 + at * step),
    at,
  ]);

const MONTHS = readNames((locale) =>
  (['long', ...(/en|de/.test(locale) ? (['short'] as const) : [])] as const).flatMap((month) =>
    nameDays(locale, { length: 12, step: 31 }, { day: 'numeric', month }),
  ),
);
const WEEKDAYS = readNames((locale) =>
  (['long', ...(locale === 'zh' ? (['short'] as const) : [])] as const).flatMap((weekday) =>
    nameDays(locale, { length: 7, step: 1 }, { weekday }),
  ),
);
const UNIT_NAMES = readNames((locale) =>
  Object.entries(UNITS).flatMap(([unit, minutes]) =>
    [1, 2, 5].map((count): Named => [
      new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }),
      count,
      minutes,
    ]),
  ),
);

const join = (names: ReadonlyMap<string, number>): string => [...names.keys()].join('|');
const MONTH = `(?<name>${join(MONTHS)})`;
const END = String.raw`(?:st|nd|rd|th|\.)?`;
const DAYS = [
  String.raw`(?<![\d-])(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?!\d)T?`,
  String.raw`(?:(?<year>\d{4})年)?(?<month>\d{1,2})[月월] ?(?<day>\d{1,2})[日号일]?`,
  String.raw`(?<![\d.]|\p{Sc} ?)(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})?`,
  String.raw`(?<![\d.])(?<day>\d{1,2})${END} (?:\p{L}{1,3} )?${MONTH}(?!\p{L})\.?(?:,? (?<year>\d{4}))?`,
  String.raw`(?<!\p{L})${MONTH}\.? (?<day>\d{1,2})${END}(?![\d:]| ?[ap]m)(?:,? (?<year>\d{4}))?`,
].map((pattern) => new RegExp(pattern, 'giu'));
/** A number beside letters, or between dashes, is part of a name. */
const NAME =
  /(?<![\p{Script=Latin}\d])(?=[\p{Script=Latin}\d_#-]*\d)(?=[\d_-]*[\p{Script=Latin}#])[\p{Script=Latin}\d_#-]{2,}|\d+(?:-\d+)+|\d+\/\d+(?:\/\d+)*/gu;
const CLOCKS = [
  ...LANGUAGES.flatMap(({ clock }) => clock.map(({ source }) => source)),
  String.raw`(?<![\d:])(?<hour>\d{1,2}):(?<minute>\d\d)(?::\d\d)?(?![\d:])(?:Z| ?[ap]m\b)?`,
].map((source) => new RegExp(source, 'giu'));
const WEEKDAY = new RegExp(
  String.raw`(?<!\p{L}(?<!\p{Script=Han}))(?<name>${join(WEEKDAYS)})(?!\p{Script=Latin})`,
  'giu',
);
const NUMBER = String.raw`(?<![\p{Script=Latin}\d.,])(?<number>\d{1,3}(?:[,.'’ ]\d{3})+|\d+(?:[.,]\d{1,2})?)(?![\d%])`;
const SPAN = new RegExp(
  String.raw`${NUMBER}[ -]?个?(?:工作|(?!and|und|or|to)\p{L}+ (?!\p{Script=Han}))?(?<name>${join(UNIT_NAMES)})[ns]?(?!\p{Script=Latin})`,
  'giu',
);
const COUNT = new RegExp(NUMBER, 'giu');
const BARE_UNIT = new RegExp(
  String.raw`(?<!\d[ -]?|\p{Script=Latin})(?<name>${join(UNIT_NAMES)})(?!\p{Script=Latin})`,
  'giu',
);
const OPEN_DAY = new RegExp(String.raw`^(?:${join(MONTHS)})(?!\p{L})`, 'iu');

/** True for the second half of a day whose point was taken for the end of a sentence: `5.` and `Mai`. */
export const continuesDay = (before: string, text: string): boolean =>
  /(?<!\d)\d{1,2}\.$/.test(before) && OPEN_DAY.test(text);

type Groups = Record<string, string | undefined>;

function toNumber(written: string): number {
  const isGrouped = /^\d{1,3}(?:[,.'’ ]\d{3})+$/.test(written);
  return Number(isGrouped ? written.replaceAll(/\D/g, '') : written.replace(',', '.'));
}

/** The minutes of a unit of time by its name in any language. */
export const findTimeUnit = (name: string): number | undefined => UNIT_NAMES.get(name.toLowerCase());

function readDay({ year, month, day, name }: Groups): Value {
  const at = name === undefined ? Number(month) - 1 : (MONTHS.get(name.toLowerCase()) ?? 0);
  const time = Date.UTC(Number(year ?? 2000), at, Number(day));
  return { kind: 'day', value: time / DAY_MS, year: year === undefined ? undefined : Number(year) };
}

function readClock({ hour, minute, minutes, ...names }: Groups): Value {
  const [named = ''] = Object.entries(names).find(([, written]) => written !== undefined) ?? [];
  const moved = Number(/\d+/.exec(named)?.[0] ?? 0) * (named.startsWith('less') ? -1 : 1);
  const value = Number(hour) * 60 + Number(minute ?? minutes ?? 0) + moved;
  return { kind: 'clock', value: (value + HALF_DAY) % HALF_DAY };
}

/** Reads each kind from what the one before has left, because a year is no price and a day is no number of things. */
export function readValues(text: string): Value[] {
  const values: Value[] = [];
  let rest = writeDigits(text);
  const take = (patterns: readonly RegExp[], read?: (groups: Groups) => Value): void => {
    for (const pattern of patterns)
      rest = rest.replaceAll(pattern, (...found: unknown[]) => {
        if (read !== undefined) values.push(read((found.at(-1) ?? {}) as Groups));
        return ' ; ';
      });
  };
  take(DAYS, readDay);
  take([WEEKDAY], ({ name = '' }) => ({ kind: 'weekday', value: WEEKDAYS.get(name.toLowerCase()) ?? 0 }));
  take(CLOCKS, readClock);
  take([NAME]);
  rest = replaceAmounts(rest, (value) => {
    values.push({ kind: 'amount', value });
    return ' ; ';
  });
  const readSpan = ({ number, name = '' }: Groups): Value => {
    const unit = findTimeUnit(name) ?? 1;
    return { kind: 'span', value: toNumber(number ?? '1') * unit, unit, isBare: number === undefined };
  };
  take([SPAN, BARE_UNIT], readSpan);
  take([COUNT], ({ number = '' }) => ({ kind: 'count', value: toNumber(number) }));
  return values;
}
