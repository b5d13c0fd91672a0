import { expect, test } from 'vitest';
import { listRuleJudges, listUnprovenRules } from '../../src/scenario/unproven-rules.ts';

const coverage = {
  R1: { samples: ['a'], checkers: ['c'] },
  R2: { samples: ['b'], checkers: [], graders: ['g'] },
  R3: { samples: ['a', 'b'], checkers: ['c'] },
  R4: { samples: ['a'], checkers: [] },
};
const words = [{ rule: 'R3', proven: false, why: 'no sample says it' }];
const proof = { coverage, words, problems: [] };
const report = { id: 'g', counts: false } as never;

test('each rule has its judges, by the table where it reads, and by whoever names the rule elsewhere', () => {
  expect(listRuleJudges({ coverage })).toEqual({ R1: ['checker'], R2: ['grader'], R3: ['checker'], R4: [] });
  const judges = {
    R1: { by: ['table' as const, 'checker' as const], reads: 'part' as const },
    R2: { by: ['table' as const], reads: 'whole' as const },
  };
  expect(listRuleJudges({ coverage, judges })).toMatchObject({ R1: ['table (in part)', 'checker'], R2: ['table'] });
});

test('a rule is not proven when nobody judges it, when nobody hears the user, or when no grader of it counts', () => {
  const found = listUnprovenRules(proof, { allowed: { R3: 'people listen to each call' } });
  expect(found).toEqual([
    { rule: 'R3', why: 'nothing shows that anybody listens to the user', allowed: 'people listen to each call' },
    { rule: 'R4', why: 'nobody judges it' },
  ]);
  expect(listUnprovenRules(proof, { graders: [report] }).map(({ rule }) => rule)).toEqual(['R2', 'R3', 'R4']);
});

test('a rule whose samples were all left out is not proven by the others', () => {
  const problem = { layer: 4 as const, code: 'gold-fails', component: 'b', sample: 'b', message: 'x' };
  expect(listUnprovenRules({ coverage, problems: [problem] }, {})).toMatchObject([
    { rule: 'R2', why: 'its samples do not prove themselves' },
    { rule: 'R4' },
  ]);
});
