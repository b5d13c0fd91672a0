/** Reads JSON texts: strictly where a person wrote them, and for readers to whom any other text is no error. */

/** Undefined for a text that is not JSON: no JSON text has this value. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(dropByteOrderMark(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Editors on Windows begin a file with this mark, which is no part of its text. */
export function dropByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

export type StrictJson = { ok: true; value: unknown } | { ok: false; fault: string; line: number };

/** All readers of a value can follow this depth without overflowing their stack. */
const MAX_DEPTH = 64;

/** One token with the white space before it; of a string, the opening quote alone. */
const TOKEN = /[\t\n\r ]*([{}[\],:"]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)/y;

/**
 * Parses what a person wrote, and refuses what `JSON.parse` would lose or change in silence: a key that is there twice,
 * a number that JavaScript cannot hold. A byte order mark is no fault.
 */
export function parseStrictJson(written: string): StrictJson {
  const text = dropByteOrderMark(written);
  const found = findFault(text);
  if (found === undefined) return { ok: true, value: JSON.parse(text) as unknown };
  return { ok: false, fault: found.fault, line: lineAt(text, found.at) };
}

type PlacedFault = { at: number; fault: string };
/** An open object with the places of its keys, or an open array. */
type Opened = Map<string, number> | 'array';
/** The part of the grammar that comes next; `rest` is what may follow a value. */
type Expected = 'value' | 'item' | 'first key' | 'key' | 'colon' | 'rest';

function findFault(text: string): PlacedFault | undefined {
  const open: Opened[] = [];
  let expected: Expected = 'value';
  for (let end = 0; ; end = TOKEN.lastIndex) {
    TOKEN.lastIndex = end;
    const token = readToken(text);
    if (token === undefined) {
      const isWhole = open.length === 0 && expected === 'rest' && text.slice(end).trim() === '';
      return isWhole ? undefined : describeSyntax(text, end);
    }
    const at = TOKEN.lastIndex - token.length;
    const inside = open.at(-1);
    if (!fitsGrammar(token, expected, inside)) return describeSyntax(text, at);
    const isKey: boolean = expected === 'first key' || expected === 'key';
    const fault =
      isKey && inside instanceof Map ? findDoubleKey(token, { at, text, keys: inside }) : findNumberFault(token);
    if (fault !== undefined) return { at, fault };
    if (token === '{') open.push(new Map());
    else if (token === '[') open.push('array');
    else if (token === '}' || token === ']') open.pop();
    if (open.length > MAX_DEPTH) return { at, fault: `it is nested more than ${MAX_DEPTH} levels deep` };
    expected = isKey && token !== '}' ? 'colon' : expectAfter(token, open.at(-1));
  }
}

/** Reads from `TOKEN.lastIndex` on; a regular expression for whole strings would overflow its stack on a long one. */
function readToken(text: string): string | undefined {
  const token = TOKEN.exec(text)?.[1];
  if (token !== '"') return token;
  const start = TOKEN.lastIndex - 1;
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < FIRST_PRINTABLE) return undefined;
    if (code === BACKSLASH) {
      const length = ESCAPE.exec(text.slice(at + 1, at + 6))?.[0].length;
      if (length === undefined) return undefined;
      at += length;
    }
    if (code !== QUOTE) continue;
    TOKEN.lastIndex = at + 1;
    return text.slice(start, at + 1);
  }
  return undefined;
}

const [FIRST_PRINTABLE, QUOTE, BACKSLASH] = [0x20, 0x22, 0x5c];
const ESCAPE = /^(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/;

function fitsGrammar(token: string, expected: Expected, inside: Opened | undefined): boolean {
  if (expected === 'colon') return token === ':';
  if (expected === 'key') return token.startsWith('"');
  if (expected === 'first key') return token === '}' || token.startsWith('"');
  if (expected === 'rest') return inside !== undefined && (token === ',' || token === (inside === 'array' ? ']' : '}'));
  return !'}:,'.includes(token) && (token !== ']' || expected === 'item');
}

function expectAfter(token: string, inside: Opened | undefined): Expected {
  if (token === '{') return 'first key';
  if (token === '[') return 'item';
  if (token === ',') return inside === 'array' ? 'value' : 'key';
  return token === ':' ? 'value' : 'rest';
}

function findDoubleKey(
  token: string,
  { at, text, keys }: { at: number; text: string; keys: Map<string, number> },
): string | undefined {
  if (token === '}') return undefined;
  const key = token.includes('\\') ? JSON.stringify(JSON.parse(token)) : token;
  const first = keys.get(key);
  keys.set(key, at);
  if (first === undefined) return undefined;
  return `the key ${escapeControls(token)} is there twice, first in line ${lineAt(text, first)}: take one of them out`;
}

/** Finds a whole number that would become another one, and one that would become infinite. */
function findNumberFault(token: string): string | undefined {
  if (!/^[-\d]/.test(token) || (token.length < SAFE_LENGTH && !/[eE]/.test(token))) return undefined;
  const value = Number(token);
  const isHeld = /[.eE]/.test(token) ? Number.isFinite(value) : isHeldExactly(value, token);
  if (isHeld) return undefined;
  return `it has a number that is too large for JSON, ${token.slice(0, MOST_SHOWN)}: write it as text, in quotes`;
}

/** True for a whole number that prints as it was written, as everything does that a program wrote. */
export function isHeldExactly(value: number, written: string): boolean {
  if (Number.isSafeInteger(value) || String(value) === written) return true;
  return Number.isFinite(value) && BigInt(value) === BigInt(written);
}

const MOST_SHOWN = 30;
/** Shorter numbers without an exponent are always held. */
const SAFE_LENGTH = 16;

function describeSyntax(text: string, end: number): PlacedFault {
  const at = end + (text.slice(end).length - text.slice(end).trimStart().length);
  const rest = text.slice(at, at + MOST_SHOWN).split('\n', 1)[0] ?? '';
  return {
    at,
    fault: `it is no JSON: ${rest === '' ? 'it breaks off' : `what begins with ${escapeControls(rest)} does not fit`}`,
  };
}

/** A file of somebody else must not send commands to the terminal that shows the fault. */
function escapeControls(text: string): string {
  return text.replace(/[^\P{C}]/gu, (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}
