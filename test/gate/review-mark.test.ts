/** A mark goes when anything that is shown of its rule changes, and stays when something else does. */
import { expect, test } from 'vitest';
import { createReviewMark } from '../../src/gate/review-mark.ts';

type Pack = Parameters<typeof createReviewMark>[1];
const rule = (id: string, text: string) => ({ id, title: id, text, severity: 'must' as const });
const pack = (...texts: string[]) =>
  ({ rules: texts.map((text, index) => rule(`R${index + 1}`, text)) }) as unknown as Pack;

test('is that of the words of its rule alone', () => {
  const mark = createReviewMark('R1', pack('one', 'two'));
  expect(mark).toMatch(/^R1:[0-9a-f]{16}$/);
  expect(createReviewMark('R1', pack('one', 'another'))).toBe(mark);
  expect(createReviewMark('R1', pack('changed', 'two'))).not.toBe(mark);
  const cases = { rules: [{ id: 'R1', lines: [{ when: 'a', demands: 'b' }], over: [] }] };
  expect(createReviewMark('R1', { ...pack('one', 'two'), cases } as unknown as Pack)).not.toBe(mark);
});
