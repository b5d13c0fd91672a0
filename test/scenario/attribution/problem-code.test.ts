import { expect, test } from 'vitest';
import {
  PROBLEM_CODES,
  RULES_VERSION,
  isSureRelation,
  createProblem,
  createProblemFactory,
  separateByRules,
} from '../../../src/scenario/attribution/problem-code.ts';

test('the codes and their layers are pinned: reports and scripts name them', () => {
  expect(PROBLEM_CODES).toEqual({
    'file-refused': 4,
    schema: 4,
    'json-ambiguous': 4,
    'format-unsupported': 1,
    'rules-contradict': 1,
    'tool-missing': 2,
    'tool-unknown': 2,
    'tool-schema-unsupported': 2,
    'tool-example-invalid': 2,
    'tool-failed': 2,
    'tool-fragile': 2,
    'tool-nondeterministic': 2,
    'tool-changes-world': 2,
    'tool-suspect': 2,
    'checker-rule-unknown': 3,
    'checker-unused': 3,
    'checker-broken': 3,
    'checker-nondeterministic': 3,
    'checker-rejects-gold': 3,
    'checker-judges-path': 3,
    'checker-cannot-fail': 3,
    'grader-rule-unknown': 3,
    'grader-id-taken': 3,
    'grader-unused': 3,
    'grader-fails-proof': 3,
    'grader-cannot-fail': 3,
    'grader-unproven': 3,
    'rule-graded-only': 3,
    'rule-without-checker': 3,
    'rule-without-sample': 4,
    'sample-rule-unknown': 4,
    'case-untrue': 4,
    'sample-category-unknown': 4,
    'sample-tool-unknown': 4,
    'sample-checker-unknown': 4,
    'sample-grader-unknown': 4,
    'too-few-samples': 4,
    'world-invalid': 4,
    'expectation-invalid': 4,
    'act-invalid': 4,
    'user-unlike-gold': 4,
    'gold-invalid': 4,
    'gold-fails': 4,
    'null-passes': 4,
    'wrong-passes': 4,
    'mutant-passes': 4,
    'checker-accepts-silence': 3,
    'checker-demands-spelling': 3,
    'words-not-proven': 4,
    'table-against-all': 1,
    'table-against-sample': 4,
    'checker-misses-demand': 3,
    'reading-never-moves': 1,
    'tool-leaks-records': 2,
    'tool-answer-fixed': 2,
    'tool-key-order': 2,
    'tool-identity-loose': 2,
    'tool-refusal-writes': 2,
    'tool-success-empty': 2,
    'tool-answer-untrue': 2,
    'tool-overwrites': 2,
    'tool-guard-missing': 2,
    'tool-against-table': 2,
    'tool-lists-others': 2,
    'tool-books-fixed': 2,
    'tool-spelling': 2,
    'tool-does-twice': 2,
    'tool-offers-refused': 2,
    'checker-demands-yes': 3,
    'checker-ignores-words': 3,
    'checker-ignores-order': 3,
  });
});

test('a problem belongs to the layer of its code; one of a sample names the sample, its file, and it as component', () => {
  expect(createProblem('schema', 'tool', 'm')).toEqual({ layer: 4, code: 'schema', component: 'tool', message: 'm' });
  const own = { layer: 4, code: 'gold-fails', component: 's', message: 'samples/s.json: m', sample: 's' };
  expect(createProblemFactory('s')('gold-fails', 'm')).toEqual(own);
  expect(createProblemFactory('s')('checker-broken', 'm', 'c')).toEqual({
    ...own,
    layer: 3,
    code: 'checker-broken',
    component: 'c',
  });
});

const SURE = ['tool-key-order', 'tool-identity-loose', 'tool-refusal-writes', 'tool-overwrites', 'tool-books-fixed'];

test('a rule that is new refuses in runs that began with it; its code stands here with the version of its rules', () => {
  const all = Object.keys(PROBLEM_CODES).map((code) => createProblem(code as keyof typeof PROBLEM_CODES, 'x', 'm'));
  const later = (rules: number) => separateByRules(all, rules).later.map(({ code }) => code);
  expect(later(1)).toEqual([
    'json-ambiguous',
    'checker-nondeterministic',
    'checker-accepts-silence',
    'checker-demands-spelling',
    'rule-graded-only',
    'case-untrue',
    'user-unlike-gold',
    'table-against-all',
    'table-against-sample',
    'checker-misses-demand',
    'reading-never-moves',
    ...SURE,
  ]);
  expect(later(2)).toEqual(SURE);
  expect(all.filter(isSureRelation).map(({ code }) => code)).toEqual(SURE);
  expect(later(RULES_VERSION)).toEqual([]);
  expect(separateByRules(all, RULES_VERSION).refusing).toEqual(all);
  const ofUser = separateByRules(all, RULES_VERSION, true).later.map(({ code }) => code);
  expect(ofUser, 'what depends on the user refuses nothing of a run with another one').toEqual(['user-unlike-gold']);
});
