import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/disk/sha256.ts';

test('sorts keys at every depth and leaves the order of lists', () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null, ä: true, B: 'x' })).toBe(
    '{"B":"x","a":null,"b":[{"c":2,"d":1}],"ä":true}',
  );
});

test('leaves out what is undefined, as JSON does, and keeps odd keys', () => {
  expect(canonicalJson({ a: undefined, b: [undefined] })).toBe('{"b":[null]}');
  expect(canonicalJson(JSON.parse('{"__proto__":1,"":2}'))).toBe('{"":2,"__proto__":1}');
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, undefined, () => 1, Symbol('x'), 1n])(
  'refuses what JSON cannot say: %s',
  (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
    expect(() => canonicalJson({ a: [{ b: typeof value === 'undefined' ? Number.NaN : value }] })).toThrow(TypeError);
  },
);

test('is the same after a way through JSON, and for any order of keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
      expect(canonicalJson(JSON.parse(JSON.stringify(value)))).toBe(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        expect(canonicalJson(Object.fromEntries(Object.entries(value).toReversed()))).toBe(text);
      }
    }),
  );
});
