import { expect, test } from 'vitest';
import {
  parseForeignCsv,
  parseForeignJson,
  parseForeignLines,
  parseForeignYaml,
  tryForeignJson,
} from '../../src/interop/foreign-text.ts';

const WRONG = 'this line has what cannot stand there';

test('JSON of other programs: a byte order mark, NaN and Infinity outside of texts', () => {
  const text = '\uFEFF{"a": NaN, "b": [-Infinity, Infinity], "c": "NaN \\" Infinity", "d": 1}';
  expect(parseForeignJson(text, 'f')).toEqual({ a: null, b: [-Infinity, Infinity], c: 'NaN " Infinity', d: 1 });
});

test.each([
  ['', 1, 'it ends too early'],
  ['{"a":\n', 1, 'it ends too early'],
  ['[1,\n2\n3]', 3, WRONG],
  ['{"a": x}', 1, WRONG],
  ['{\n  "a": 1,\n}', 3, WRONG],
  ['{"a":"b\n"}', 1, WRONG],
  ['{\n"a": "b", "c"\n"d": 1}', 3, WRONG],
  ['{"a":1} {', 1, WRONG],
  ['[1]]', 1, WRONG],
  ['{"a" 1}', 1, WRONG],
  ['hello', 1, WRONG],
])('the fault of %j is found in line %i', (text, line, what) => {
  expect(() => parseForeignJson(text, 'f.json')).toThrow(`f.json:${line}: is no JSON: ${what}`);
});

test('a fault is told without a word of the file, so no control character reaches a terminal', () => {
  const hostile = '{"a": \u001b[2J\u0007}';
  for (const read of [parseForeignJson, parseForeignLines])
    expect(() => read(hostile, 'f')).toThrow(expect.not.stringMatching(/\u001b|\u0007/) as string);
});

test('a text that may be something else is tried', () => {
  expect([tryForeignJson('\uFEFF{"a": NaN}'), tryForeignJson('a: 1'), tryForeignJson('')]).toEqual([
    { a: null },
    undefined,
    undefined,
  ]);
});

test('lines of JSON: blank ones are none, the others have their numbers', () => {
  expect(parseForeignLines('\uFEFF{"a":1}\r\n\n \n[2]\n', 'f')).toEqual([
    { line: 1, value: { a: 1 } },
    { line: 4, value: [2] },
  ]);
  expect(() => parseForeignLines('1\n\n{\n', 'f.jsonl')).toThrow('f.jsonl:3: is no JSON: it ends too early');
});

test('YAML: a key that is there twice is refused with its line', () => {
  expect(parseForeignYaml('\uFEFFa: 1\n', 'f')).toEqual({ a: 1 });
  expect(() => parseForeignYaml('a: 1\nb: 2\na: 3\n', 'f.yaml')).toThrow('f.yaml:3: this key is there twice');
});

test('CSV: quotes, line breaks in cells, blank lines, and the lines of the file', () => {
  expect(parseForeignCsv('\uFEFFa,b\r\n"x\ny","say ""hi"""\n\n say "so" ,\nlast,"1"', 'f')).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['x\ny', 'say "hi"'] },
    { line: 5, cells: [' say "so" ', ''] },
    { line: 6, cells: ['last', '1'] },
  ]);
  expect(parseForeignCsv('', 'f')).toEqual([]);
  expect(() => parseForeignCsv('a\n"open\nmore\n', 'f.csv')).toThrow('f.csv:2: a cell in quotes does not end');
});
