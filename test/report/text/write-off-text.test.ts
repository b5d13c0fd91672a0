import { expect, test } from 'vitest';
import { writtenOffText } from '../../../src/report/text/write-off-text.ts';

test('names the amount as what it is: the worst, not the price', () => {
  expect(writtenOffText(0.314)).toBe(
    'A question before this one was cut off in mid-call: up to $0.31 may have been paid for it, and they count.',
  );
});
