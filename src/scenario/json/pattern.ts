/** Regular expressions that a model wrote, matched in linear time by RE2: none of them can make the harness hang. */
import { RE2JS } from 're2js';
import { HarnessError, messageOf } from '../../errors.ts';

/** `size` grows with what one character of text can cost. */
export type Pattern = { ok: true; size: number; matches: (text: string) => boolean } | { ok: false; fault: string };

const MAX_SOURCE = 1000;
const MAX_SIZE = 1000;
const MAX_TEXT = 10_000;

/**
 * Compiles JavaScript's syntax without look-around and back-references, which have no linear time. Conditions right
 * behind `^`, as in the e-mail pattern of zod, are matched apart. Anything else is a fault.
 */
export function compilePattern(source: string): Pattern {
  try {
    if (source.length > MAX_SOURCE) throw fault('it is too large');
    const plain = withoutIdleEscapes(source);
    // RE2 reads more syntax, and some of it in another sense: what JavaScript refuses is refused.
    const { source: checked } = new RegExp(plain, 'u');
    const parts = splitConditions(checked).map((part) => ({ ...part, engine: compileRe2(part.source) }));
    const size = parts.reduce((sum, { engine }) => sum + engine.programSize(), 0);
    if (size > MAX_SIZE) throw fault('it is too large');
    const matches = (text: string): boolean =>
      text.length <= MAX_TEXT && parts.every(({ engine, wanted }) => engine.test(text) === wanted);
    return { ok: true, size, matches };
  } catch (error) {
    return { ok: false, fault: messageOf(error) };
  }
}

function fault(message: string): HarnessError {
  return new HarnessError('config_invalid', message);
}

/** Many write `\-` or `\@` where JavaScript's strict syntax knows no such escape; a code says the same everywhere. */
function withoutIdleEscapes(source: string): string {
  return source.replaceAll(/\\([\s\S])/g, (both, char: string) =>
    /[ -/:-@[-`{-~]/.test(char) && char !== '_' ? `\\x${codeOf(char)}` : char === '_' ? '_' : both,
  );
}

function codeOf(char: string): string {
  return char.charCodeAt(0).toString(16).padStart(2, '0');
}

type Part = { source: string; wanted: boolean };

/** `^(?!a)(?=b)c` holds where `^c` and `^(?:b)` are found and `^(?:a)` is not. */
function splitConditions(source: string): Part[] {
  const parts: Part[] = [];
  let rest = source;
  for (let end = conditionEnd(rest); end !== undefined; end = conditionEnd(rest)) {
    parts.push({ source: `^(?:${rest.slice(4, end)})`, wanted: rest[3] === '=' });
    rest = `^${rest.slice(end + 1)}`;
  }
  const isOne = parts.length === 0 || !closings(rest).hasChoice;
  return isOne ? [...parts, { source: rest, wanted: true }] : [{ source, wanted: true }];
}

function conditionEnd(source: string): number | undefined {
  return /^\^\(\?[=!]/.test(source) ? closings(source.slice(1)).first : undefined;
}

/** Where the first group closes, and whether there is a choice outside of all groups. */
function closings(source: string): { first: number | undefined; hasChoice: boolean } {
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

/** An escape, a whole class, the beginning of a look-around, or one character. */
const TOKENS = /\\[pPu]\{[^}]*\}|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\(\?<?[=!]|[\s\S]/g;

/** JavaScript knows more spaces and more ends of a line than RE2. */
const SPACES = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NO_SPACES =
  '\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

function compileRe2(source: string): RE2JS {
  const spelled = source.replaceAll(TOKENS, (token) => {
    if (token === '.') return '[^\\n\\r\\x{2028}\\x{2029}]';
    if (/^\\[k1-9]/.test(token)) throw fault('back-references are not supported');
    if (token.startsWith('(?')) throw fault('look-around is not supported, except for conditions right behind "^"');
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

/** RE2 names a script or a category without saying which of the two it is. */
function scriptName(token: string): string {
  return token.replace(/^(\\[pP]\{)(?:Script|sc|General_Category|gc)=/, '$1');
}
