/** Takes keys, mail addresses and long numbers out of what people and programs said; equal values get equal stand-ins. */
import { parseJson } from '../../parse-json.ts';
import { isJsonObject, sameJson } from '../../scenario/json/json-value.ts';

export type RedactedKind = 'key' | 'mail' | 'number';
/** How many different values of a kind were replaced, and where; the values themselves are kept nowhere. */
export type RedactionReport = { kind: RedactedKind; values: number; places: string[] };

const KIND_ORDER: readonly RedactedKind[] = ['key', 'mail', 'number'];
const MOST_PLACES = 50;
/** Below this many digits a number is an amount, a date or the number of an order. */
const LONG_NUMBER = 9;
/** Bits a character: words stay below, random text lies above. */
const RANDOM_BITS = 3.3;

/** Names of what only its owner may know, as a field, a header or a word before it. */
const SECRET =
  '(?:pass(?:word|wd|phrase|code)|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|authorization|credentials?|cvv|cvc)';
const SECRET_FIELD = new RegExp(`${SECRET}|(?:^|[_-])(?:pass|pin|otp|cookie)$`, 'i');
const SECRET_NUMBER = /(?:^|[_-])(?:pass(?:word|code)?|pin|otp|cvv|cvc)$/i;
const AT = String.raw`(?:@|＠|%40|&#0?64;|\s?[([]at[)\]]\s?)`;
const DOT = String.raw`(?:\.|\s?[([]dot[)\]]\s?)`;
const PART = String.raw`[^\s@＠<>"'(),:;.=&?/[\]\\]{1,64}`;
const DATE = /^\p{Nd}{4}[-/.]\p{Nd}{2}[-/.]\p{Nd}{2}(?!\p{Nd})(?:[ T]\p{Nd}{2}(?!\p{Nd}))?[\s\p{Pd}]*/u;

const NAMED = `(?<=${SECRET}["'\\\\]{0,4}\\s{0,4}[:=]\\s{0,4}["'\\\\]{0,4})(?!Bearer\\b|Basic\\b)[^\\s"'\\\\,;&}]{3,}`;
const TOLD = `(?<=\\b${SECRET}\\b(?:\\s+\\p{L}{1,12}){0,2}\\s+)[^\\s"'\\\\]{6,}`;
const MAIL = `(?:"[^"\\n]{1,64}"|${PART}(?:\\.${PART}){0,8})${AT}${PART}(?:${DOT}${PART}){0,8}${DOT}\\p{L}{2,63}`;
const IBAN = /\b[A-Z]{2}\d{2}(?:[ \u00a0-]?[A-Z0-9]{4}){2,7}(?:[ \u00a0-]?[A-Z0-9]{1,3})?\b/gi;
const NUMBER =
  /(?<![\p{L}\p{Nd}_.])[+＋(]?\p{Nd}(?:[ \u00a0\u2000-\u200b\u202f()./\p{Pd}]{0,2}\p{Nd}){8,}(?![\p{L}\p{Nd}_])/gu;

const SHAPES: readonly [kind: RedactedKind, shape: RegExp, isMeant?: (text: string) => boolean][] = [
  ['key', /-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----[\s\S]*?(?:-----END [A-Z ]*-----|$)/g],
  ['key', /(?<=\bBearer\s+)[^\s"',;\\]{8,}/gi],
  ['key', /(?<=\bcookie\s*:\s*)[^\r\n"]+/gi],
  ['key', /(?<=:\/\/[^\s/@:]{0,64}:)[^\s/@]{1,256}(?=@)/g],
  ['key', new RegExp(NAMED, 'gi')],
  ['key', new RegExp(TOLD, 'giu'), isUnlikeWords],
  ['key', /\beyJ[\w-]{8,}(?:\.[\w-]+){1,2}/g],
  ['key', /\b[A-Za-z]{2,8}[-_](?:[A-Za-z]+[-_])*[A-Za-z0-9]{12,}\b/g, isMixed],
  ['key', /(?<![\w+/=-])[\w+/=-]{8,}(?:\r?\n[ \t]*[\w+/=-]{8,})+(?![\w+/=-])/g, isBrokenKey],
  ['key', /[A-Za-z0-9+/_=]{20,}/g, isRandom],
  ['key', /(?<![\w+/-])[\w+/-]{8,}={0,2}/g, hidesMore],
  ['mail', new RegExp(MAIL, 'giu')],
  ['number', IBAN, isLong],
  ['number', NUMBER, isLong],
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
  const text = (raw: string, place: string): string => {
    const json = /^\s*[[{]/.test(raw) ? parseJson(raw) : undefined;
    const made = json === undefined ? undefined : walk(json, place);
    // JSON within a text keeps its spaces where nothing is taken out of it.
    if (made !== undefined) return sameJson(made, json) ? raw : JSON.stringify(made);
    return SHAPES.reduce((rest, [kind, shape, isMeant = () => true]) => {
      return rest.replaceAll(shape, (found) => {
        const date = shape === NUMBER ? (DATE.exec(found)?.[0] ?? '') : '';
        const own = found.slice(date.length);
        return isMeant(own) ? date + replace(kind, own, place) : found;
      });
    }, raw);
  };
  const walk = (value: unknown, place: string, field = ''): unknown => {
    if (typeof value === 'string')
      return SECRET_FIELD.test(field) && value.length > 2 ? replace('key', value, place) : text(value, place);
    if (typeof value === 'number') {
      const isHidden = SECRET_NUMBER.test(field) || (isLong(String(value)) && Number.isInteger(value));
      return isHidden ? Number(replace('number', String(value), place)) : value;
    }
    if (Array.isArray(value)) return value.map((one) => walk(one, place, field));
    if (!isJsonObject(value)) return value;
    const inner = (key: string): string => (/credential/i.test(field) ? field : key);
    return Object.fromEntries(
      Object.entries(value).map(([key, own]) => [text(key, place), walk(own, place, inner(key))]),
    );
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
  const digits = countDigits(value);
  const next = `1${String(number).padStart(digits - 1, '0')}`;
  let place = 0;
  return value.replaceAll(/\p{Nd}|[A-Z]/giu, (sign) => (/\p{Nd}/u.test(sign) ? (next[place++] ?? '0') : 'X'));
}

function countDigits(text: string): number {
  return text.match(/\p{Nd}/gu)?.length ?? 0;
}

function isMixed(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]/.test(text.split(/[-_]/).at(-1) ?? '');
}

/** Letters with digits among them, but no number of an order; or capitals within a long word. */
function isUnlikeWords(text: string): boolean {
  if (/^[A-Z]{1,4}-?\d+\W*$/.test(text)) return false;
  return (/\d/.test(text) && /\p{L}/u.test(text)) || (text.length > LONG_NUMBER && /\p{Ll}\p{Lu}/u.test(text));
}

/** A key that a line break divides: both parts look like one. */
function isBrokenKey(text: string): boolean {
  const parts = text.split(/\s+/);
  return isRandom(parts.join('')) && parts.every((part) => /\d/.test(part) && /[A-Za-z]/.test(part));
}

/** Base64 of a text in which something would be replaced, or of a name with a password. */
function hidesMore(text: string): boolean {
  const inner = Buffer.from(text, 'base64').toString('utf8');
  if (/[^\P{C}\s]|\uFFFD/u.test(inner)) return false;
  return (
    /^[^\s:]+:[^\s:]+$/.test(inner) ||
    SHAPES.some(([, shape, isMeant]) => isMeant !== hidesMore && inner.search(shape) >= 0 && (isMeant?.(inner) ?? true))
  );
}

function isRandom(text: string): boolean {
  if (!isMixed(text)) return false;
  const counts = [...Map.groupBy(text, (sign) => sign).values()].map(({ length }) => length / text.length);
  return counts.reduce((sum, share) => sum - share * Math.log2(share), 0) >= RANDOM_BITS;
}

function isLong(text: string): boolean {
  return countDigits(text) >= LONG_NUMBER;
}
