/** Takes keys, mail addresses and long numbers out of what people and programs said; equal values get equal stand-ins. */
import { isJsonObject } from '../../scenario/json/json-value.ts';

export type RedactedKind = 'key' | 'mail' | 'number';
/** How many different values of a kind were replaced, and where; the values themselves are kept nowhere. */
export type RedactionReport = { kind: RedactedKind; values: number; places: string[] };

const KIND_ORDER: readonly RedactedKind[] = ['key', 'mail', 'number'];
const MOST_PLACES = 50;
/** Below this many digits a number is an amount, a date or the number of an order. */
const LONG_NUMBER = 9;
/** Bits a character: words stay below, random text lies above. */
const RANDOM_BITS = 3.3;

const SECRET_FIELD = /pass(?:word|wd|phrase)|secret|token|api_?key|authorization|credential|cvv|private_?key/i;
const SHAPES: readonly { kind: RedactedKind; shape: RegExp; isMeant?: (text: string) => boolean }[] = [
  { kind: 'key', shape: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g },
  { kind: 'key', shape: /(?<=\bBearer\s)[^\s"',;\\]{8,}/gi },
  { kind: 'key', shape: /(?<=:\/\/[^\s/@:]*:)[^\s/@]+(?=@)/g },
  { kind: 'key', shape: /\beyJ[\w-]{8,}(?:\.[\w-]+){1,2}/g },
  { kind: 'key', shape: /\b[A-Za-z]{2,8}[-_](?:[A-Za-z]+[-_])*[A-Za-z0-9]{12,}\b/g, isMeant: isMixed },
  { kind: 'key', shape: /[A-Za-z0-9+/_=]{20,}/g, isMeant: isRandom },
  { kind: 'mail', shape: /[^\s@<>"'(),:;[\]\\]+@[^\s@<>"'(),:;[\]\\]+\.[\p{L}]{2,}/gu },
  { kind: 'number', shape: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g, isMeant: isLong },
  { kind: 'number', shape: /(?<![\w.])[+(]?\d(?:[ ()./-]{0,2}\d){8,}(?![\w])/g, isMeant: isNoDate },
];

export type Redactor = { redact: <T>(value: T, place: string) => T; report: () => RedactionReport[] };

export function createRedactor(): Redactor {
  const known = new Map<string, { kind: RedactedKind; shown: string }>();
  const given = new Set<string>();
  const places = new Map<RedactedKind, Set<string>>();
  const replace = (kind: RedactedKind, value: string, place: string): string => {
    // A stand-in of ours, or a part of one, is not replaced once more.
    if ([...given].some((shown) => shown.includes(value))) return value;
    const number = [...known.values()].filter((one) => one.kind === kind).length + 1;
    const { shown } = known.get(value) ?? { shown: makeStandIn(kind, value, number) };
    known.set(value, { kind, shown });
    given.add(shown);
    places.set(kind, (places.get(kind) ?? new Set()).add(place));
    return shown;
  };
  const text = (raw: string, place: string): string =>
    SHAPES.reduce(
      (rest, { kind, shape, isMeant = () => true }) =>
        rest.replaceAll(shape, (found) => (isMeant(found) ? replace(kind, found, place) : found)),
      raw,
    );
  const walk = (value: unknown, place: string, field = ''): unknown => {
    if (typeof value === 'string')
      return SECRET_FIELD.test(field) && value.length > 3 ? replace('key', value, place) : text(value, place);
    if (typeof value === 'number')
      return isLong(String(value)) && Number.isInteger(value) ? Number(replace('number', String(value), place)) : value;
    if (Array.isArray(value)) return value.map((one) => walk(one, place, field));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, own]) => [text(key, place), walk(own, place, key)]));
  };
  return {
    redact: <T>(value: T, place: string) => walk(value, place) as T,
    report: () =>
      KIND_ORDER.flatMap((kind) => {
        const values = [...known.values()].filter((one) => one.kind === kind).length;
        return values === 0 ? [] : [{ kind, values, places: [...(places.get(kind) ?? [])].slice(0, MOST_PLACES) }];
      }),
  };
}

/** A stand-in keeps the form that tools may check: an address stays an address, a number keeps its length. */
function makeStandIn(kind: RedactedKind, value: string, number: number): string {
  if (kind === 'mail') return `person${number}@example.com`;
  if (kind === 'key') return `[key ${number}]`;
  const digits = value.replaceAll(/\D/g, '').length;
  const next = `1${String(number).padStart(digits - 1, '0')}`.split('');
  return value.replaceAll(/[A-Z0-9]/g, (sign) => (/\d/.test(sign) ? (next.shift() ?? '0') : 'X'));
}

function isMixed(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]/.test(text.split(/[-_]/).at(-1) ?? '');
}

function isRandom(text: string): boolean {
  if (!isMixed(text)) return false;
  const counts = [...Map.groupBy(text, (sign) => sign).values()].map(({ length }) => length / text.length);
  return counts.reduce((sum, share) => sum - share * Math.log2(share), 0) >= RANDOM_BITS;
}

function isLong(text: string): boolean {
  return text.replaceAll(/\D/g, '').length >= LONG_NUMBER;
}

function isNoDate(text: string): boolean {
  return isLong(text) && !/^\d{4}[-/.]\d{2}[-/.]\d{2}/.test(text);
}
