import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isBase64, takeRuns } from '../../src/transcript/encoded-data.ts';

test('every base64 is one, at any size; other characters, a lone last one and a mark inside are none', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => isBase64(Buffer.from(bytes).toString('base64'))));
  for (const text of ['AAAAA', 'AA=A', 'A A=', '<p>', 'é123', '__--', 'AA==='])
    expect(isBase64(text), text).toBe(false);
  expect(isBase64('A'.repeat(40_000_000))).toBe(true);
});

test('runs are found wherever they stand, as a regular expression finds them', () => {
  const part = fc.oneof(
    fc.constant(' '),
    fc.constant('.'),
    fc.integer({ min: 1, max: 25 }).map((n) => 'aB3+'.repeat(n)),
  );
  fc.assert(
    fc.property(fc.array(part), fc.integer({ min: 1, max: 40 }), (parts, least) => {
      const text = parts.join('');
      const runs = text.match(new RegExp(`[A-Za-z0-9+/=_-]{${least},}`, 'g')) ?? [];
      const { rest, taken } = takeRuns(text, least);
      expect(taken).toBe(runs.join('').length);
      expect(rest.replaceAll(' ', '')).toBe(
        text.replaceAll(new RegExp(`[A-Za-z0-9+/=_-]{${least},}`, 'g'), '').replaceAll(' ', ''),
      );
    }),
  );
});

test('a run of many megabytes takes no stack, and a refused run stays', () => {
  const data = randomBytes(9_000_000).toString('base64');
  expect(takeRuns(`see ${data} there`, 60)).toEqual({ rest: 'see   there', taken: data.length });
  expect(takeRuns(`see ${data} there`, 60, () => false).taken).toBe(0);
});
