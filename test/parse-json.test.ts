/** JSON, or undefined: a text that is none is no error. */
import { expect, test } from 'vitest';
import { parseJson } from '../src/parse-json.ts';

test('gives the value of a JSON text, and undefined for any other', () => {
  expect([parseJson('{"a":1}'), parseJson('null'), parseJson('"x"')]).toEqual([{ a: 1 }, null, 'x']);
  expect([parseJson(''), parseJson('{"a":'), parseJson('undefined')]).toEqual([undefined, undefined, undefined]);
});
