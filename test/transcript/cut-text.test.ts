/** Heads and tails of texts. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { takeHeadByTokens, takeHead, takeTailByTokens, takeTail, estimateText } from '../../src/transcript/tokens.ts';

test('never keeps half a surrogate pair (T9, S0.11)', () => {
  expect(takeHead('a🙂b', 2)).toBe('a');
  expect(takeHead('a🙂b', 3)).toBe('a🙂');
  expect(takeTail('a🙂b', 2)).toBe('b');
  expect(takeTail('a🙂b', 3)).toBe('🙂b');
  expect(takeHead('abc', 9)).toBe('abc');
  expect(takeTail('abc', 0)).toBe('');
});

test('by tokens: the longest that stays within, well formed, an end of the text', () => {
  const text = fc.string({ unit: fc.constantFrom('word ', '{"a":1}', '汉', '🙂', '\n'), maxLength: 80 });
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 60 }), (whole, tokens) => {
      for (const [piece, isEnd] of [
        [takeHeadByTokens(whole, tokens), whole.startsWith.bind(whole)],
        [takeTailByTokens(whole, tokens), whole.endsWith.bind(whole)],
      ] as const) {
        expect(estimateText(piece)).toBeLessThanOrEqual(tokens);
        expect(piece.isWellFormed()).toBe(true);
        expect(isEnd(piece)).toBe(true);
      }
      if (estimateText(whole) <= tokens) expect(takeHeadByTokens(whole, tokens)).toBe(whole);
    }),
  );
});
