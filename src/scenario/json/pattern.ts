/** Matches regular expressions written by a model in linear time (RE2), so that none can make the harness hang. */
import { RE2JS } from 're2js';
import { createConfigError, describeError } from '../../errors.ts';

/** A compiled pattern; `size` grows with the greatest cost of one character of text. */
export type Pattern = { ok: true; size: number; matches: (text: string) => boolean } | { ok: false; fault: string };

const MAX_SOURCE = 1000;
const MAX_SIZE = 1000;
const MAX_TEXT = 10_000;

/**
 * Compiles JavaScript's syntax without look-around and back-references, which have no linear time. Look-aheads right
 * behind `^`, as in zod's pattern for e-mail, are matched separately. Anything else is a fault.
 */
export function compilePattern(source: string): Pattern {
  try {
    if (source.length > MAX_SOURCE) throw createConfigError('it is too large');
    const plain = withoutIdleEscapes(source);
    // RE2 accepts more syntax, some with another meaning, so a pattern that JavaScript rejects is rejected first.
    const { source: checked } = new RegExp(plain, 'u');
    const parts = splitConditions(checked).map((part) => ({ ...part, engine: compileRe2(part.source) }));
    const size = parts.reduce((sum, { engine }) => sum + engine.programSize(), 0);
    if (size > MAX_SIZE) throw createConfigError('it is too large');
    const matches = (text: string): boolean =>
      text.length <= MAX_TEXT && parts.every(({ engine, wanted }) => engine.test(text) === wanted);
    return { ok: true, size, matches };
  } catch (error) {
    return { ok: false, fault: describeError(error) };
  }
}

/** Replaces escapes such as `\-` or `\@`, which JavaScript's strict syntax rejects, by character codes. */
function withoutIdleEscapes(source: string): string {
  return source.replaceAll(/\\([\s\S])/g, (both, char: string) =>
    /[ -/:-@[-`{-~]/.test(char) && char !== '_' ? `\\x${toHexCode(char)}` : char === '_' ? '_' : both,
  );
}

function toHexCode(char: string): string {
  return char.charCodeAt(0).toString(16).padStart(2, '0');
}

type PatternPart = { source: string; wanted: boolean };

/** Splits conditions off: `^(?!a)(?=b)c` holds where `^c` and `^(?:b)` match and `^(?:a)` does not. */
function splitConditions(source: string): PatternPart[] {
  const parts: PatternPart[] = [];
  let rest = source;
  for (let end = conditionEnd(rest); end !== undefined; end = conditionEnd(rest)) {
    parts.push({ source: `^(?:${rest.slice(4, end)})`, wanted: rest[3] === '=' });
    rest = `^${rest.slice(end + 1)}`;
  }
  const isOne = parts.length === 0 || !scanGroups(rest).hasChoice;
  return isOne ? [...parts, { source: rest, wanted: true }] : [{ source, wanted: true }];
}

function conditionEnd(source: string): number | undefined {
  return /^\^\(\?[=!]/.test(source) ? scanGroups(source.slice(1)).first : undefined;
}

/** Finds where the first group closes, and whether there is an alternative outside of all groups. */
function scanGroups(source: string): { first: number | undefined; hasChoice: boolean } {
  let depth = 0;
  let first: number | undefined;
  let hasChoice = false;
  for (const { 0: token, index } of source.matchAll(TOKENS)) {
    if (token === '|' && depth === 0) hasChoice = true;
    if (token.startsWith('(')) depth += 1;
    if (token !== ')') continue;
    depth -= 1;
    if (depth === 0) first ??= index + 1;
  }
  return { first, hasChoice };
}

/** Matches an escape, a whole class, the beginning of a look-around, or one character. */
const TOKENS = /\\[pPu]\{[^}]*\}|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\(\?<?[=!]|[\s\S]/g;

/** JavaScript's white space and line ends, of which RE2 knows fewer. */
const SPACES = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NO_SPACES =
  '\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

function compileRe2(source: string): RE2JS {
  const spelled = source.replaceAll(TOKENS, (token) => {
    if (token === '.') return '[^\\n\\r\\x{2028}\\x{2029}]';
    if (/^\\[k1-9]/.test(token)) throw createConfigError('back-references are not supported');
    if (token.startsWith('(?'))
      throw createConfigError('look-around is not supported, except for conditions right behind "^"');
    if (token.startsWith('[')) return token.replaceAll(/\\(?:[pP]\{[^}]*\}|[\s\S])/g, (part) => inClass(part));
    return /^\\[sS]$/.test(token) ? `[${inClass(token)}]` : scriptName(token);
  });
  return RE2JS.compile(RE2JS.translateRegExp(spelled));
}

function inClass(token: string): string {
  if (token === '\\s') return SPACES;
  if (token === '\\S') return NO_SPACES;
  return token === '\\b' ? '\\x08' : scriptName(token);
}

/** Names a script or category as RE2 does, without saying which of the two it is. */
function scriptName(token: string): string {
  return token.replace(/^(\\[pP]\{)(?:Script|sc|General_Category|gc)=/, '$1');
}
