/** The syntax of the regular expressions that schemas may hold: read into a tree, anything unusual refused. */
import { HarnessError } from '../../errors.ts';

export type CharTest = (code: number) => boolean;

export type PatternNode =
  | { type: 'char'; test: CharTest }
  | { type: 'start' | 'end' }
  | { type: 'sequence' | 'choice'; items: PatternNode[] }
  | { type: 'repeat'; item: PatternNode; least: number; most: number };

type Cursor = { chars: readonly string[]; at: number };

/** Throws `config_invalid` that says what is not supported. */
export function parsePattern(source: string): PatternNode {
  const cursor: Cursor = { chars: Array.from(source), at: 0 };
  const whole = choice(cursor);
  if (cursor.at < cursor.chars.length) throw fault('a ")" is not opened');
  return whole;
}

export function fault(message: string): HarnessError {
  return new HarnessError('config_invalid', message);
}

function peek(cursor: Cursor): string {
  return cursor.chars[cursor.at] ?? '';
}

function take(cursor: Cursor): string {
  const char = peek(cursor);
  cursor.at += 1;
  return char;
}

function choice(cursor: Cursor): PatternNode {
  const items = [sequence(cursor)];
  while (peek(cursor) === '|') {
    take(cursor);
    items.push(sequence(cursor));
  }
  return { type: 'choice', items };
}

function sequence(cursor: Cursor): PatternNode {
  const items: PatternNode[] = [];
  while (!['', '|', ')'].includes(peek(cursor))) items.push(repeated(cursor, atom(cursor)));
  return { type: 'sequence', items };
}

function atom(cursor: Cursor): PatternNode {
  const char = take(cursor);
  if (char === '(') return group(cursor);
  if (char === '^') return { type: 'start' };
  if (char === '$') return { type: 'end' };
  if ('*+?{}]'.includes(char)) throw fault(`"${char}" stands where a character is expected`);
  if (char === '[') return { type: 'char', test: charClass(cursor) };
  if (char === '.') return { type: 'char', test: isNoLineEnd };
  return { type: 'char', test: char === '\\' ? escaped(cursor) : is(char) };
}

function group(cursor: Cursor): PatternNode {
  if (peek(cursor) === '?') {
    take(cursor);
    if (take(cursor) !== ':') throw fault('look-around and named groups are not supported');
  }
  const inner = choice(cursor);
  if (take(cursor) !== ')') throw fault('a "(" is not closed');
  return inner;
}

function charClass(cursor: Cursor): CharTest {
  const isNegated = peek(cursor) === '^';
  if (isNegated) take(cursor);
  const tests: CharTest[] = [];
  while (peek(cursor) !== ']') {
    if (peek(cursor) === '') throw fault('a "[" is not closed');
    tests.push(classItem(cursor));
  }
  take(cursor);
  return (code) => tests.some((test) => test(code)) !== isNegated;
}

function classItem(cursor: Cursor): CharTest {
  const low = classChar(cursor);
  if (typeof low === 'function') return low;
  if (peek(cursor) !== '-' || cursor.chars[cursor.at + 1] === ']') return (code) => code === low;
  take(cursor);
  const high = classChar(cursor);
  if (typeof high === 'function' || high < low) throw fault('a range in "[…]" is not in order');
  return (code) => code >= low && code <= high;
}

function classChar(cursor: Cursor): number | CharTest {
  const char = take(cursor);
  if (char !== '\\') return codeOf(char);
  const next = peek(cursor);
  const test = escaped(cursor);
  return CLASSES.has(next) ? test : codeOf(CONTROLS.get(next) ?? next);
}

function escaped(cursor: Cursor): CharTest {
  const char = take(cursor);
  const known = CLASSES.get(char);
  if (known !== undefined) return known;
  const control = CONTROLS.get(char);
  if (control === undefined && /^\w?$/.test(char)) throw fault(`"\\${char}" is not supported`);
  return is(control ?? char);
}

function repeated(cursor: Cursor, item: PatternNode): PatternNode {
  const bounds = quantifier(cursor);
  if (bounds === undefined) return item;
  // A lazy repetition finds the same texts.
  if (peek(cursor) === '?') take(cursor);
  return { type: 'repeat', item, ...bounds };
}

function quantifier(cursor: Cursor): { least: number; most: number } | undefined {
  const simple = SIMPLE_QUANTIFIERS.get(peek(cursor));
  if (simple !== undefined) {
    take(cursor);
    return simple;
  }
  const counted = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(cursor.chars.slice(cursor.at, cursor.at + 12).join(''));
  if (counted === null) return undefined;
  cursor.at += counted[0].length;
  const least = Number(counted[1]);
  const most = counted[2] === undefined ? least : counted[3] === '' ? Infinity : Number(counted[3]);
  if (most < least) throw fault('the bounds of a repetition are not in order');
  return { least, most };
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}

function is(char: string): CharTest {
  const wanted = codeOf(char);
  return (code) => code === wanted;
}

const isNoLineEnd: CharTest = (code) => ![10, 13, 0x20_28, 0x20_29].includes(code);
const isDigit: CharTest = (code) => code >= 48 && code <= 57;
const isLetter: CharTest = (code) => (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
const isWord: CharTest = (code) => isDigit(code) || isLetter(code) || code === 95;
const isSpace: CharTest = (code) => /\s/.test(String.fromCodePoint(code));

const CLASSES = new Map<string, CharTest>([
  ['d', isDigit],
  ['D', (code) => !isDigit(code)],
  ['w', isWord],
  ['W', (code) => !isWord(code)],
  ['s', isSpace],
  ['S', (code) => !isSpace(code)],
]);

const CONTROLS = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['f', '\f'],
  ['v', '\v'],
]);

const SIMPLE_QUANTIFIERS = new Map([
  ['*', { least: 0, most: Infinity }],
  ['+', { least: 1, most: Infinity }],
  ['?', { least: 0, most: 1 }],
]);
