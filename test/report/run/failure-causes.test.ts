import { describe, expect, it, test } from 'vitest';
import {
  groupByCause,
  decidingTrial,
  failedVerdicts,
  failsOnRule,
  listFurtherReasons,
  listReasons,
} from '../../../src/report/run/failure-causes.ts';
import { failing, results, sample, trial } from '../makers.ts';

const graded = {
  ...{ checker: 'tone', pass: false, reason: 'rude', evidence: [] },
  grader: { model: 'm', key: 'k', conversation: 'c', counts: true, votes: { pass: 0, fail: 1, void: 0 } },
};

describe('decidingTrial', () => {
  it('is the first trial that failed, not the first of all', () => {
    const verdicts = [{ checker: 'polite', pass: false, reason: 'rude', evidence: [] }];
    const trials = [trial(), trial({ trial: 2, outcome: 'fail', verdicts }), trial({ trial: 3, outcome: 'fail' })];
    const one = sample('a', { outcome: 'fail', trials });
    expect(decidingTrial(one)?.trial).toBe(2);
    expect(failedVerdicts(one)).toEqual(verdicts);
  });

  it('failed by what counts: a grader that is only shown is no cause', () => {
    const shown = { ...graded, grader: { ...graded.grader, counts: false } };
    const late = { checker: 'window', pass: false, reason: 'late', evidence: [] };
    const one = sample('a', {
      outcome: 'fail',
      layer: 3,
      trials: [trial({ outcome: 'fail', verdicts: [shown, late] })],
    });
    expect(failedVerdicts(one)).toEqual([late]);
    expect(groupByCause(results([one])).map(({ title }) => title)).toEqual(['checker window']);
  });
});

test('a checker comes before the expectation that only counts, and the places that prove them are left out', () => {
  const verdicts = [
    { checker: 'expect', pass: false, reason: 'the end state differs in 1 place', evidence: ['/a: expected 1, got 2'] },
    { checker: 'window', pass: false, reason: 'R2: day 31 is too late.', evidence: ['step 4'] },
  ];
  const why = [
    'expect: the end state differs in 1 place',
    'expect: /a: expected 1, got 2',
    'window: R2: day 31 is too late.',
    'window: step 4',
  ];
  expect(listReasons(sample('a', { outcome: 'fail', why, trials: [trial({ outcome: 'fail', verdicts })] }))).toEqual([
    'window: R2: day 31 is too late.',
    'expect: the end state differs in 1 place',
  ]);
});

test('a report gives no reason twice: what a verdict says is not repeated as the reason of its layer', () => {
  const verdicts = [{ checker: 'window', pass: false, reason: 'day 31 is too late', evidence: ['step 4'] }];
  const why = ['window: day 31 is too late', 'accepts the do-nothing agent', 'window: step 4'];
  const failed = sample('a', { outcome: 'fail', why, trials: [trial({ outcome: 'fail', verdicts })] });
  expect(listFurtherReasons(failed)).toEqual(['accepts the do-nothing agent']);
});

describe('causesOf', () => {
  it('groups by layer and by what showed it, largest first (S0.24)', () => {
    const causes = groupByCause(
      results([
        failing('a', 3, { checker: 'window' }),
        failing('b', 4, {}),
        failing('c', 3, { checker: 'polite' }),
        failing('d', 3, { checker: 'polite' }),
        failing('e', 2, {}, { trials: [trial({ outcome: 'fail', toolFault: 'lookup_order threw' })] }),
        failing('f', 3, { checker: 'window', broken: true }),
        sample('g', { outcome: 'fail', trials: [] }),
        sample('h'),
        sample('i', { outcome: 'fail', layer: 4, trials: [trial({ outcome: 'fail', stop: 'steps', toolFault: 'x' })] }),
      ]),
    );
    expect(causes.map(({ layer, title, samples }) => [layer?.key, title, samples.length])).toEqual([
      ['2', 'tool fault: lookup_order threw', 1],
      ['3', 'checker polite', 2],
      ['3', 'checker window', 1],
      ['3', 'checker window broke', 1],
      ['4', 'the sample’s own expectation', 1],
      ['4', 'the subject stopped: steps', 1],
      [undefined, 'no trial was made', 1],
    ]);
  });
});

describe('failsOnRule', () => {
  const coverage = { R1: { checkers: ['window'], samples: ['a'] }, R2: { checkers: ['polite'], samples: ['a'] } };
  const all = { verification: { ok: true, problems: [], proofs: [], coverage } };

  it('counts a failure against the rules whose checks failed, and against all where an expectation did', () => {
    const covers = ['R1', 'R2'];
    const late = { ...failing('a', 4, { checker: 'window' }), covers };
    expect(covers.map((rule) => failsOnRule(rule, late, all))).toEqual([true, false]);
    const end = { ...failing('a', 4, { checker: 'expect' }), covers };
    expect(covers.map((rule) => failsOnRule(rule, end, all))).toEqual([true, true]);
    expect(failsOnRule('R3', late, all)).toBe(false);
    const rude = {
      ...sample('a', { outcome: 'fail', trials: [trial({ outcome: 'fail', verdicts: [graded] })] }),
      covers,
    };
    const judged = { ...coverage, R2: { ...coverage.R2, graders: ['tone'] } };
    const graders = { verification: { ...all.verification, coverage: judged } };
    expect(covers.map((rule) => failsOnRule(rule, rude, graders))).toEqual([false, true]);
    expect(failsOnRule('R1', { ...sample('a'), covers }, all)).toBe(false);
    // Nobody judged it, or nobody judges the rule: then it counts.
    const stopped = {
      ...sample('a', { outcome: 'fail', trials: [trial({ outcome: 'fail', stop: 'steps' })] }),
      covers,
    };
    expect(covers.map((rule) => failsOnRule(rule, stopped, all))).toEqual([true, true]);
    expect(failsOnRule('R3', { ...late, covers: ['R3'] }, all)).toBe(true);
    // The approved table judges it, and only an expectation can break that.
    const tabled = {
      verification: { ...all.verification, judges: { R3: { by: ['table' as const], reads: 'whole' as const } } },
    };
    expect(failsOnRule('R3', { ...late, covers: ['R3'] }, tabled)).toBe(false);
    expect(failsOnRule('R3', { ...end, covers: ['R3'] }, tabled)).toBe(true);
    const both = [late, rude].flatMap(({ trials }) => trials.flatMap(({ verdicts }) => verdicts));
    const two = { ...rude, trials: [trial({ outcome: 'fail', verdicts: both })] };
    expect(covers.map((rule) => failsOnRule(rule, two, graders))).toEqual([true, true]);
  });
});
