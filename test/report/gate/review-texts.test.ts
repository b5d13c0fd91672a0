import { expect, test } from 'vitest';
import { coverageText, designText } from '../../../src/report/gate/review-texts.ts';
import { reviewPack } from '../review-pack.ts';

const none = { round: null, rules: [], format: [], diff: '' };

test('a list of gates calls only the design of the first round the first one', () => {
  expect(designText(reviewPack({ round: 1, since: none }))).toBe('first design, 2 rules');
  expect(designText(reviewPack({ round: 2, since: none }))).toBe('2 rules, no design approved yet');
  expect(designText(reviewPack())).toBe('1 rule changed, 1 added; format unchanged');
});

test('what tested a rule names the approved table where it judges, and no checker only where nothing else does', () => {
  const rule = { samples: ['late'], checkers: [] };
  const rules = [
    { id: 'R1', ...rule, table: true as const },
    { id: 'R2', ...rule, table: true as const, checkers: ['said'] },
    { id: 'R3', ...rule },
    { id: 'R4', ...rule, samples: [] },
  ];
  const textFor = (id: string) => coverageText({ coverage: { iteration: 2, rules } }, id);
  expect(['R1', 'R2', 'R3', 'R4'].map(textFor)).toEqual([
    'tested by 1 sample (late) and the approved table',
    'tested by 1 sample (late) and the approved table and 1 checker (said)',
    'tested by 1 sample (late) and no checker',
    'not tested in iteration 2',
  ]);
});
