import { expect, test } from 'vitest';
import { omitUndefined } from '../src/omit-undefined.ts';

test('keys without a value are absent, all others stay in their order', () => {
  const found = omitUndefined({ b: 1, a: undefined as number | undefined, c: null, d: false, e: '' });
  expect(Object.entries(found)).toEqual([
    ['b', 1],
    ['c', null],
    ['d', false],
    ['e', ''],
  ]);
  expect('a' in found).toBe(false);
});
