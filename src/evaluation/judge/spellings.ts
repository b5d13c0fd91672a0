/** Respells a text in notations that mean the same: amounts, dates, times, ids, case, punctuation and kinds of characters. */
import { foldCharacters, foldText } from '../../scenario/language/fold-text.ts';
import { rememberTexts } from '../../scenario/language/remember-texts.ts';
import { isUnspaced } from '../../scenario/language/split-text.ts';

export const SPELLING_KINDS = ['amount', 'date', 'time', 'id', 'case', 'punctuation', 'characters'] as const;
export type SpellingKind = (typeof SPELLING_KINDS)[number];
export type Spelling = { kind: SpellingKind; text: string };

type Currency = { code: string; sign: string; words: readonly string[] };

const NAMED_CURRENCIES: readonly Currency[] = [
  { code: 'EUR', sign: '€', words: ['euros', 'euro'] },
  { code: 'USD', sign: '$', words: ['dollars', 'dollar'] },
  { code: 'GBP', sign: '£', words: ['pounds', 'pound'] },
  { code: 'CHF', sign: '', words: ['francs', 'Franken'] },
  { code: 'CNY', sign: '¥', words: ['元', 'yuan'] },
];
const CURRENCIES: readonly Currency[] = [...NAMED_CURRENCIES, ...listSignedCurrencies()];
const MONTHS = Array.from({ length: 12 }, (_, month) =>
  new Date(2026, month, 15).toLocaleDateString('en', { month: 'long' }),
);

const SIGNS = CURRENCIES.flatMap(({ sign }) => (sign === '' ? [] : [sign.replace('$', String.raw`\$`)]));
const WORDS = NAMED_CURRENCIES.flatMap(({ code, words }) => [code, ...words]);
// Codes such as TRY and ALL are words in small letters.
const MONEY = [...SIGNS, ...WORDS, `(?-i:${CURRENCIES.map(({ code }) => code).join('|')})`].join('|');
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
export const listSpellings = rememberTexts((text): readonly Spelling[] => {
  const respelled = NOTATIONS.flatMap(({ kind, pattern, forms, respell }) =>
    Array.from({ length: forms }, (_, form): Spelling => {
      const change = (...found: [string, ...unknown[]]): string =>
        respell(found.at(-1) as NamedGroups)[form] ?? found[0];
      return { kind, text: text.replaceAll(pattern, change) };
    }),
  );
  const all: Spelling[] = [
    ...respelled,
    { kind: 'id', text: text.replaceAll(ID, (id) => id.toLowerCase()) },
    { kind: 'case', text: text.toLowerCase() },
    { kind: 'punctuation', text: text.replaceAll(AMOUNT, '**$&**').replaceAll("'", '’').replace(/\.$/, '!') },
    ...listCharacterForms(text).map((form): Spelling => ({ kind: 'characters', text: form })),
  ];
  return all.filter((one, index) => one.text !== text && all.findIndex((other) => other.text === one.text) === index);
});

/** Dashes of other kinds, letters in two parts, wide digits, a mark where a word may be cut, and what all of them fold into. */
function listCharacterForms(text: string): string[] {
  const toWide = (digit: string): string => String.fromCodePoint((digit.codePointAt(0) ?? 0) + 0xfee0);
  return [
    foldCharacters(text),
    text.replaceAll(JOINING_DASH, '\u2011'),
    text.replaceAll(JOINING_DASH, '\u2013'),
    text.normalize('NFD'),
    isUnspaced(text) ? text.replaceAll(/\d/g, toWide) : text,
    text.replaceAll(/\p{L}{4}(?=\p{L}{4})/gu, '$&\u00AD'),
  ];
}

const JOINING_DASH = /(?<=[\p{L}\p{N}])-(?=[\p{L}\p{N}])/gu;

/** All currencies that the engine writes with a sign of their own. */
function listSignedCurrencies(): Currency[] {
  const taken = new Set(NAMED_CURRENCIES.flatMap(({ code, sign }) => [code, sign]));
  return Intl.supportedValuesOf('currency').flatMap((code): Currency[] => {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' });
    const sign = format.formatToParts(1).find(({ type }) => type === 'currency')?.value ?? '';
    if (/^[\p{ASCII}]*$/u.test(sign) || taken.has(code) || taken.has(sign)) return [];
    taken.add(sign);
    return [{ code, sign, words: [] }];
  });
}

type NamedGroups = Record<string, string | undefined>;

/** How often each notation can be written, and how: in place of a form that is missing, what was found stays. */
const NOTATIONS = [
  { kind: 'amount', pattern: AMOUNT, forms: 7, respell: respellAmount },
  { kind: 'date', pattern: DATE, forms: 5, respell: respellDate },
  { kind: 'time', pattern: TIME, forms: 3, respell: respellTime },
] as const;

/** `8.00 EUR`, `EUR 8.00`, `€8.00`, and the same without empty cents; `8 euros`. Decimals have the sign that they had. */
function respellAmount({ before, after, first, last }: NamedGroups): string[] {
  const name = (before ?? after ?? '').toLowerCase();
  const written = first ?? last ?? '';
  const currency = CURRENCIES.find((one) =>
    [one.code, one.sign, ...one.words].some((word) => word.toLowerCase() === name),
  );
  if (currency === undefined) return [];
  const { code, sign, words } = currency;
  const plain = /,\d{3}/.test(written) ? written.replaceAll(',', '') : written.replace(',', '.');
  const isDecimalComma = plain !== written && !/,\d{3}/.test(written);
  const decimals = Number(plain).toFixed(2);
  const full = isDecimalComma ? decimals.replace('.', ',') : decimals;
  const short = Number.isInteger(Number(plain)) ? String(Number(plain)) : full;
  const signed = sign === '' ? `${code} ` : sign;
  const forms = [full, short].flatMap((amount) => [`${amount} ${code}`, `${code} ${amount}`, `${signed}${amount}`]);
  return [...forms, words[0] === undefined ? `${full} ${sign}` : `${short} ${words[0]}`];
}

function respellDate({ y, y2, y3, m, m2, m3, d, d2, d3 }: NamedGroups): (string | undefined)[] {
  const year = y ?? y2 ?? y3;
  const named = m2 ?? m3;
  const month = named === undefined ? Number(m) : MONTHS.indexOf(named) + 1;
  const day = Number(d ?? d2 ?? d3);
  const name = MONTHS[month - 1];
  if (name === undefined || day < 1 || day > 31) return [];
  const [two, tail] = [(value: number) => String(value).padStart(2, '0'), year === undefined ? '' : ` ${year}`];
  const comma = tail === '' ? '' : `,${tail}`;
  return [
    year === undefined ? undefined : `${year}-${two(month)}-${two(day)}`,
    `${day} ${name}${tail}`,
    `${name} ${day}${comma}`,
    `${formatOrdinal(day)} of ${name}${tail}`,
    `${name} ${formatOrdinal(day)}${comma}`,
  ];
}

function formatOrdinal(day: number): string {
  const end = day >= 11 && day <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th');
  return `${day}${end}`;
}

function respellTime({ hour: written, minute = '00', half, bare }: NamedGroups): string[] {
  const suffixed = (half ?? bare)?.toLowerCase();
  if (suffixed !== undefined && (Number(written) < 1 || Number(written) > 12)) return [];
  const hour = suffixed === undefined ? Number(written) : (Number(written) % 12) + (suffixed === 'pm' ? 12 : 0);
  const twelve = hour % 12 === 0 ? 12 : hour % 12;
  const suffix = hour < 12 ? 'am' : 'pm';
  const long = `${twelve}:${minute} ${suffix}`;
  return [`${String(hour).padStart(2, '0')}:${minute}`, long, minute === '00' ? `${twelve} ${suffix}` : long];
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

const normalizePhrase = rememberTexts((text) =>
  foldText(text).replaceAll(SHORT_MONTH, (short) =>
    `${MONTHS.find((one) => one.toLowerCase().startsWith(short.slice(0, 3)))}`.toLowerCase(),
  ),
);

/** Matches a short month next to a day: `24 Nov`, `Nov. 24`. */
const SHORT_MONTH =
  /(?<=\b\d{1,2}(?:st|nd|rd|th)? (?:of )?)(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?|\b(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?(?= \d{1,2}\b)/g;
