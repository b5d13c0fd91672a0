import { expect, test } from 'vitest';
import { designText } from '../../../src/report/gate/review-texts.ts';
import { reviewPack } from '../review-pack.ts';

const none = { round: null, rules: [], format: [], diff: '' };

test('a list of gates calls only the design of the first round the first one', () => {
  expect(designText(reviewPack({ round: 1, since: none }))).toBe('first design, 2 rules');
  expect(designText(reviewPack({ round: 2, since: none }))).toBe('2 rules, no design approved yet');
  expect(designText(reviewPack())).toBe('1 rule changed, 1 added, 0 removed; format unchanged');
});
