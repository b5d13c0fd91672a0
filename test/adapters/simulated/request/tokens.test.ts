/** Token estimates: by script of the text and by tokenizer (docs/internals/api-rules.md §1.1, S1.10). */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { blockTokens, textTokens } from '../../../../src/adapters/simulated/request/tokens.ts';

test('a Chinese character is about a token, a Latin one about a third (Y7)', () => {
  expect(textTokens('压'.repeat(1000), 1)).toBe(1000);
  expect(textTokens('x'.repeat(3300), 1)).toBeCloseTo(1000);
  expect(textTokens('\u{20000}한カ', 1)).toBe(3);
});

test('the newer tokenizer makes 30 % more of the same text', () => {
  expect(textTokens('x'.repeat(3300), 1.3)).toBeCloseTo(1300);
});

test('a text costs what its parts cost', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      expect(textTokens(a + b, 1.3)).toBeCloseTo(textTokens(a, 1.3) + textTokens(b, 1.3));
    }),
  );
});

test('a result costs its text, whether it stands as a string or as a block', () => {
  const asText = blockTokens({ type: 'tool_result', tool_use_id: 'a', content: 'some text' }, 1);
  expect(
    blockTokens({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'some text' }] }, 1),
  ).toBe(asText);
});
