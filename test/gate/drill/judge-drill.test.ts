import { expect, test } from 'vitest';
import { judgeDrill } from '../../../src/gate/drill/judge-drill.ts';
import type { Defect } from '../../../src/gate/drill/plant-defect.ts';
import { rule } from '../../support/designs.ts';

const own = rule('R4', 'A refused customer keeps the contract unchanged.');
const defect: Defect = { kind: 'conflict', rule: own, rules: ['R4', 'R5'], text: 'R4 and R5 disagree.' };
const judge = (decision: 'approve' | 'request_changes' | 'edit_approve', comment: string, its = defect) =>
  judgeDrill(its, { decision, comment }, 43_210).outcome;

test('is caught by whoever stops the design and names one of its rules', () => {
  expect(judge('request_changes', 'R5: against R4?')).toBe('caught');
  expect(judge('edit_approve', 'I mended r4')).toBe('caught');
  expect(judgeDrill(defect, { decision: 'request_changes', comment: 'R4' }, 43_210)).toMatchObject({
    seconds: 43,
    text: expect.stringContaining('Caught in 43 seconds') as string,
  });
});

test('is missed with an approval, and not caught for another reason', () => {
  expect(judge('approve', 'R4 is fine')).toBe('missed');
  expect(judge('request_changes', 'R40 is unclear')).toBe('stopped');
});

test('a rule that is not there is named by its words', () => {
  const gone: Defect = { ...defect, kind: 'missing_rule', rules: ['R4'] };
  expect(judge('request_changes', 'Nothing is said of a customer who refused.', gone)).toBe('caught');
  expect(judge('request_changes', 'Too short.', gone)).toBe('stopped');
});
