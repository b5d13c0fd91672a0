import { expect, test } from 'vitest';
import { judgeAnswer } from '../../../src/gate/rules/judge-answers.ts';
import { rule, rulesOf } from '../../support/designs.ts';

const THEN = { rules: { ...rulesOf(rule('R1', 'Ask.'), rule('R2', 'Pay.')), open_questions: ['Which day?'] } };
const REPLY = {
  rules: { ...rulesOf(rule('R1', 'Ask.'), rule('R2', 'Pay once.'), rule('R3', 'Greet.')), open_questions: [] },
};
const judge = (did: 'changed' | 'added' | 'answered' | 'kept', ...rules: string[]) =>
  judgeAnswer({ comment: 1, did, rules, why: 'so' }, THEN, REPLY);

test('what Init says that it did is true of the two designs, or the comment is not addressed', () => {
  expect(judge('changed', 'R2')).toEqual({ addressed: true, detail: 'Init changed R2: so' });
  expect(judge('added', 'R3')).toEqual({ addressed: true, detail: 'Init added R3: so' });
  expect(judge('kept', 'R1')).toEqual({ addressed: true, kept: true, detail: 'Init kept R1 as it was: so' });
  expect(judge('answered')).toEqual({ addressed: true, detail: 'Init: a question is settled: so' });
  for (const [did, id] of [
    ['changed', 'R1'],
    ['changed', 'R3'],
    ['changed', 'R9'],
    ['added', 'R2'],
    ['added', 'R9'],
    ['kept', 'R2'],
    ['kept', 'R9'],
  ] as const)
    expect(judge(did, id), `${did} ${id}`).toMatchObject({ addressed: false, detail: expect.stringContaining(id) });
});

test('where code can check nothing, the text that the comment names decides', () => {
  expect(judge('changed')).toBeUndefined();
  expect(judgeAnswer({ comment: 1, did: 'answered', rules: [], why: 'so' }, THEN, THEN)).toBeUndefined();
});
