import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutText } from '../../../src/adapters/anthropic/truncate-result.ts';

const advice = (wholeLines: number) => `After line ${wholeLines}.`;

test('a text within the limit is left alone', () => {
  expect(cutText('abc', 3, advice)).toBe('abc');
});

test('the cut falls after a line where it can, else inside the line', () => {
  expect(cutText('a\n'.repeat(300), 400, advice)).toBe(
    `${'a\n'.repeat(50)}[cut: 100 of 600 characters shown. After line 50.]`,
  );
  expect(cutText('b'.repeat(500), 400, advice)).toBe(
    `${'b'.repeat(100)}\n[cut: 100 of 500 characters shown. After line 0.]`,
  );
});

test('whatever the text, the head is its own, whole in its characters, and the limit is kept (S0.11, S3.9)', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 350, maxLength: 1_200 }),
      fc.integer({ min: 320, max: 900 }),
      (text, limit) => {
        const cut = cutText(text, limit, advice);
        expect(cut.length).toBeLessThanOrEqual(limit);
        if (text.length <= limit) return;
        const shown = Number(/\[cut: (\d+) of /.exec(cut)?.[1]);
        expect(cut.startsWith(text.slice(0, shown))).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
      },
    ),
  );
});
