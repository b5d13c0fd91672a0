/** Respells a text in notations that mean the same: amounts, dates, times, ids, case and punctuation. */
import { foldText } from '../../scenario/language/fold-text.ts';

export const SPELLING_KINDS = ['amount', 'date', 'time', 'id', 'case', 'punctuation'] as const;
export type SpellingKind = (typeof SPELLING_KINDS)[number];
export type Spelling = { kind: SpellingKind; text: string };

type Currency = { code: string; sign: string; words: readonly string[] };

const CURRENCIES: readonly Currency[] = [
  { code: 'EUR', sign: '€', words: ['euros', 'euro'] },
  { code: 'USD', sign: '$', words: ['dollars', 'dollar'] },
  { code: 'GBP', sign: '£', words: ['pounds', 'pound'] },
  { code: 'CHF', sign: '', words: ['francs', 'Franken'] },
  { code: 'CNY', sign: '¥', words: ['元', 'yuan'] },
];
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

const NAMES = CURRENCIES.flatMap(({ code, sign, words }) => [code, ...words, ...(sign === '' ? [] : [sign])]);
const MONEY = NAMES.map((name) => name.replace('$', String.raw`\$`)).join('|');
const NUMBER = String.raw`\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d+(?:[.,]\d{1,2})?`;
const AMOUNT = new RegExp(
  String.raw`(?<![\p{L}\d.,])(?:(?<before>${MONEY})\s?(?<first>${NUMBER})|(?<last>${NUMBER})\s?(?<after>${MONEY}))(?![\p{L}\d])`,
  'giu',
);
const MONTH = MONTHS.join('|');
const DATE = new RegExp(
  String.raw`(?<![\w-])(?:(?<y>\d{4})-(?<m>\d{2})-(?<d>\d{2})|(?<d2>\d{1,2})(?:st|nd|rd|th|\.)? (?:of )?(?<m2>${MONTH})(?:,? (?<y2>\d{4}))?|(?<m3>${MONTH}) (?<d3>\d{1,2})(?:st|nd|rd|th)?(?:,? (?<y3>\d{4}))?)(?![\w-])`,
  'g',
);
const TIME =
  /(?<![\w:.-])(?<hour>[01]?\d|2[0-3])(?::(?<minute>[0-5]\d)(?:\s?(?<half>[ap]m))?|\s?(?<bare>[ap]m))(?![\w:])/gi;
const ID = /(?<![\w-])(?!EUR|USD|GBP|CHF|CNY)[A-Z]{1,5}-\d+(?![\w-])/g;

/** Lists the other notations of a text, changing one kind at a time; the text itself is not among them. */
export function listSpellings(text: string): Spelling[] {
  const all: Spelling[] = [
    ...Array.from({ length: AMOUNT_FORMS }, (_, form) => ({
      kind: 'amount' as const,
      text: respellAmounts(text, form),
    })),
    ...Array.from({ length: 5 }, (_, form) => ({ kind: 'date' as const, text: respellDates(text, form) })),
    ...Array.from({ length: 3 }, (_, form) => ({ kind: 'time' as const, text: respellTimes(text, form) })),
    { kind: 'id', text: text.replaceAll(ID, (id) => id.toLowerCase()) },
    { kind: 'case', text: text.toLowerCase() },
    { kind: 'punctuation', text: text.replaceAll(AMOUNT, '**$&**').replaceAll("'", '’').replace(/\.$/, '!') },
  ];
  return all.filter((one, index) => one.text !== text && all.findIndex((other) => other.text === one.text) === index);
}

const AMOUNT_FORMS = 7;

/** `8.00 EUR`, `EUR 8.00`, `€8.00`, and the same without empty cents; `8 euros`. Decimals have the sign that they had. */
function respellAmounts(text: string, form: number): string {
  return text.replaceAll(AMOUNT, (...found) => {
    const groups = found.at(-1) as Record<string, string | undefined>;
    const name = groups['before'] ?? groups['after'] ?? '';
    const written = groups['first'] ?? groups['last'] ?? '';
    const currency = CURRENCIES.find(({ code, sign, words }) =>
      [code, sign, ...words].some((one) => one.toLowerCase() === name.toLowerCase()),
    );
    if (currency === undefined) return found[0];
    const { code, sign, words } = currency;
    const plain = /,\d{3}/.test(written) ? written.replaceAll(',', '') : written.replace(',', '.');
    const isDecimalComma = plain !== written && !/,\d{3}/.test(written);
    const spell = (value: string): string => (isDecimalComma ? value.replace('.', ',') : value);
    const full = spell(Number(plain).toFixed(2));
    const short = Number.isInteger(Number(plain)) ? String(Number(plain)) : full;
    const signed = sign === '' ? `${code} ` : sign;
    return [
      `${full} ${code}`,
      `${code} ${full}`,
      `${signed}${full}`,
      `${short} ${code}`,
      `${code} ${short}`,
      `${signed}${short}`,
      `${short} ${words[0]}`,
    ][form] as string;
  });
}

function respellDates(text: string, form: number): string {
  return text.replaceAll(DATE, (...found) => {
    const groups = found.at(-1) as Record<string, string | undefined>;
    const year = groups['y'] ?? groups['y2'] ?? groups['y3'];
    const named = groups['m2'] ?? groups['m3'];
    const month = named === undefined ? Number(groups['m']) : MONTHS.indexOf(named) + 1;
    const day = Number(groups['d'] ?? groups['d2'] ?? groups['d3']);
    const name = MONTHS[month - 1];
    if (name === undefined || day < 1 || day > 31) return found[0];
    const [two, tail] = [(value: number) => String(value).padStart(2, '0'), year === undefined ? '' : ` ${year}`];
    const iso = year === undefined ? found[0] : `${year}-${two(month)}-${two(day)}`;
    const comma = tail === '' ? '' : `,${tail}`;
    return [
      iso,
      `${day} ${name}${tail}`,
      `${name} ${day}${comma}`,
      `${formatOrdinal(day)} of ${name}${tail}`,
      `${name} ${formatOrdinal(day)}${comma}`,
    ][form] as string;
  });
}

function formatOrdinal(day: number): string {
  const end = day >= 11 && day <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th');
  return `${day}${end}`;
}

function respellTimes(text: string, form: number): string {
  return text.replaceAll(TIME, (...found) => {
    const groups = found.at(-1) as Record<string, string | undefined>;
    const half = (groups['half'] ?? groups['bare'])?.toLowerCase();
    const written = Number(groups['hour']);
    if (half !== undefined && (written < 1 || written > 12)) return found[0];
    const hour = half === undefined ? written : (written % 12) + (half === 'pm' ? 12 : 0);
    const minute = groups['minute'] ?? '00';
    const twelve = `${hour % 12 === 0 ? 12 : hour % 12}`;
    const suffix = hour < 12 ? 'am' : 'pm';
    return [
      `${String(hour).padStart(2, '0')}:${minute}`,
      `${twelve}:${minute} ${suffix}`,
      minute === '00' ? `${twelve} ${suffix}` : `${twelve}:${minute} ${suffix}`,
    ][form] as string;
  });
}

/** Whether a text holds a phrase in any notation; case, spaces and emphasis aside. */
export function holdsPhrase(text: string, phrase: string): boolean {
  const plain = normalizePhrase(text);
  if (plain.includes(normalizePhrase(phrase))) return true;
  return listSpellings(phrase).some(({ text: other }) => holdsWhole(plain, normalizePhrase(other)));
}

/** True when the text holds the phrase, and not as part of a longer number. */
function holdsWhole(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    const [before, after] = [text.slice(0, at), text.slice(at + phrase.length)];
    const isCut = /^\d/.test(phrase) && /\d[.,]?$/.test(before);
    if (!isCut && !(/\d$/.test(phrase) && /^[.,]?\d/.test(after))) return true;
  }
  return false;
}

function normalizePhrase(text: string): string {
  return foldText(text).replaceAll(SHORT_MONTH, (short) =>
    `${MONTHS.find((one) => one.toLowerCase().startsWith(short.slice(0, 3)))}`.toLowerCase(),
  );
}

/** Matches a short month next to a day: `24 Nov`, `Nov. 24`. */
const SHORT_MONTH =
  /(?<=\b\d{1,2}(?:st|nd|rd|th)? (?:of )?)(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?|\b(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?(?= \d{1,2}\b)/g;
