import { describe, expect, test } from 'vitest';
import { attributeFailure, listCauseDoubts } from '../../../src/scenario/attribution/attribute-failure.ts';
import { createProblem } from '../../../src/scenario/attribution/problem-code.ts';
import type { TrialResult, Verdict } from '../../../src/scenario/result.ts';

const said = (checker: string, more: Partial<Verdict> = {}): Verdict => ({
  checker,
  pass: false,
  reason: `${checker} says no`,
  evidence: ['step 3: issue_refund {"amount":120}'],
  ...more,
});

function failed(verdicts: Verdict[], more: Partial<TrialResult> = {}) {
  const result: TrialResult = {
    trial: 1,
    outcome: 'fail',
    stop: 'done',
    verdicts,
    trace: 'traces/s.1.jsonl',
    costUsd: 0,
    durationMs: 0,
    ...more,
  };
  return { result, tools: ['issue_refund'] };
}

const of = (problems: ReturnType<typeof createProblem>[], ...trials: ReturnType<typeof failed>[]) =>
  attributeFailure({ sample: 's', problems, trials });

const contradiction = {
  ...createProblem('rules-contradict', 'R7, R8', 'no end satisfies both R7 and R8'),
  sample: 's',
};
const path = { ...createProblem('checker-judges-path', 'window', 'it minds the path'), sample: 'other' };
const badGold = { ...createProblem('gold-fails', 's', 'its gold path fails'), sample: 's' };
const badTool = createProblem('tool-nondeterministic', 'issue_refund', 'answers differently');
const badChecker = createProblem('checker-cannot-fail', 'paid', 'it cannot fail');

describe('the layer of a failure (S0.24)', () => {
  test('a question that the user could not answer is the sample’s fault, with the question', () => {
    const silent = { stop: 'user_silent', unanswered: 'Which floor?' };
    const found = of([], failed([said('expect')], silent));
    expect(found.cause).toBe('4a');
    expect(found.why[0]).toContain('the user had no answer to "Which floor?"');
    const forbidden = said('expect', { evidence: ['must not be called: step 1: charge {}'] });
    expect(of([], failed([forbidden], silent)).cause).toBe('4b');
    expect(of([badTool], failed([said('expect')], silent)).cause).toBe('2');
  });

  test('evidence counts in a fixed order: rules, gold, tools, checkers, subject', () => {
    const trial = failed([said('paid')], { toolFault: 'step 2: issue_refund {} (threw): boom' });
    expect(of([badChecker, badTool, badGold, contradiction], trial).layer).toBe(1);
    expect(of([badChecker, badTool, badGold], trial).cause).toBe('4a');
    expect(of([badChecker, badTool], trial).layer).toBe(2);
    expect(of([badChecker], failed([said('paid')])).layer).toBe(3);
    expect(of([], failed([said('paid')]))).toMatchObject({ layer: 4, cause: '4b' });
  });

  test('a checker that refuses the gold of one sample is no excuse for a failure in another', () => {
    const refused = createProblem('checker-rejects-gold', 'paid', 'it refuses the gold path');
    expect(of([{ ...refused, sample: 'other' }], failed([said('paid')]))).toMatchObject({ layer: 4, cause: '4b' });
    expect(of([{ ...refused, sample: 's' }], failed([said('paid')]))).toMatchObject({ layer: 3 });
  });

  test('a checker that refuses spellings is no excuse for words that no spelling mends', () => {
    const strict = createProblem('checker-demands-spelling', 'paid', 'it refuses gold for its spelling');
    expect(of([strict], failed([said('paid')]))).toMatchObject({ layer: 4, cause: '4b' });
    expect(of([strict], failed([said('paid')], { spelling: 'it passes with "€43"' })).layer).toBe(3);
  });

  test('what decided stands first, then what the checkers said, with steps', () => {
    const { cause, why } = of([badGold], failed([said('expect')]));
    expect(cause).toBe('4a');
    expect(why).toEqual([
      's: its gold path fails (gold-fails)',
      'expect: expect says no',
      'expect: step 3: issue_refund {"amount":120}',
    ]);
  });

  test('a tool is blamed when it failed here, or when it was called and is known to be faulty', () => {
    const fault = failed([said('expect')], { toolFault: 'step 2: issue_refund {} (threw): boom' });
    expect(of([], fault)).toMatchObject({
      layer: 2,
      why: [expect.stringContaining('boom'), expect.anything(), expect.anything()],
    });
    expect(of([badTool], failed([said('expect')])).layer).toBe(2);
    const other = createProblem('tool-failed', 'log_case', 'throws');
    expect(of([other], failed([said('expect')])).layer).toBe(4);
    const elsewhere = { ...createProblem('tool-failed', 'issue_refund', 'throws'), sample: 'another' };
    expect(of([elsewhere], failed([said('expect')])).layer).toBe(4);
  });

  test('a checker is blamed when it broke, or when it refused and is known to be faulty', () => {
    const broken = failed([said('paid', { broken: true, reason: 'threw: TypeError' })]);
    expect(of([], broken)).toEqual({ layer: 3, cause: '3', why: ['checker paid is broken: threw: TypeError'] });
    expect(of([badChecker], failed([said('expect'), said('paid', { pass: true })])).layer).toBe(4);
  });

  test("another sample's problems are not held against this one", () => {
    expect(of([{ ...createProblem('gold-fails', 't', 'x'), sample: 't' }], failed([said('expect')])).why[0]).toBe(
      'expect: expect says no',
    );
    expect(
      of([{ ...createProblem('rules-contradict', 'R1, R2', 'x'), sample: 't' }], failed([said('expect')])).layer,
    ).toBe(4);
  });

  test('trials are named when there are several, and nothing is said twice', () => {
    const { why } = of([badTool], failed([said('expect')]), failed([said('expect')], { trial: 2 }));
    expect(why).toContain('trial 2: expect: expect says no');
    expect(new Set(why).size).toBe(why.length);
  });
});

test('a checker that minds the path is blamed where only it says no, and not where the end is wrong too', () => {
  expect(of([path], failed([said('window')])).layer).toBe(3);
  expect(of([path], failed([said('expect'), said('window')])).layer).toBe(4);
});

test('what a trial shows of its sample is 4a, behind tools and checkers, and before the subject', () => {
  const trial = failed([said('expect')], { sampleFault: 'its limit of 3 steps is too small' });
  expect(of([], trial)).toMatchObject({ layer: 4, cause: '4a' });
  expect(of([], trial).why[0]).toContain('3 steps');
  expect(of([badTool], trial).cause).toBe('2');
});

test('a doubt about the sample that is no fault of its gold path decides nothing', () => {
  const weak = { ...createProblem('null-passes', 's', 'silence passes'), sample: 's' };
  expect(of([weak], failed([said('paid')])).cause).toBe('4b');
});

test('a problem counts for the layer that it is of, and a fragile tool for none', () => {
  const ofChecker = { ...createProblem('checker-unused', 'issue_refund', 'nobody lists it') };
  const ofTool = { ...createProblem('tool-suspect', 'paid', 'it does the wrong thing') };
  const fragile = createProblem('tool-fragile', 'issue_refund', 'it breaks on an empty id');
  expect(of([ofChecker, ofTool, fragile], failed([said('paid')])).cause).toBe('4b');
});

test('a spelling that a checker refuses is the checker’s', () => {
  const found = of([], failed([said('paid')], { spelling: ['checker paid refuses one spelling'] as never }));
  expect(found).toMatchObject({ cause: '3', why: expect.arrayContaining(['checker paid refuses one spelling']) });
});

test('one forbidden call among other evidence is enough to keep a failure with the subject', () => {
  const evidence = ['the end differs', 'must not be called: step 1: charge {}'];
  const silent = { stop: 'user_silent', unanswered: 'Which floor?' };
  expect(of([], failed([said('paid'), said('expect', { evidence })], silent)).cause).toBe('4b');
});

test('three lines of each verdict and twelve in all are shown', () => {
  const evidence = ['one', 'two', 'three', 'four'];
  const { why } = of([], failed(['a', 'b', 'c', 'd'].map((id) => said(id, { evidence }))));
  expect(why).toHaveLength(12);
  expect(why).toContain('a: three');
  expect(why).not.toContain('a: four');
});

describe('a failure that nothing decides', () => {
  const trials = [failed([said('paid')])];
  const doubts = (
    problems: ReturnType<typeof createProblem>[],
    findings = [{ code: 'x', component: 'x', message: 'x' }],
  ) => listCauseDoubts({ sample: 's', problems, findings, trials });

  test('is doubted where a called tool answers untruly, or its judge demands more than the rule', () => {
    const lies = createProblem('tool-answer-untrue', 'issue_refund', 'it lies');
    expect(doubts([lies])).toEqual(['it lies']);
    expect(of([lies], ...trials).cause).toBe('4b');
    expect(doubts([], [{ code: 'checker-demands-path', component: 'paid', message: 'one path' }])).toEqual([
      'one path',
    ]);
    expect(doubts([], [{ code: 'user-withholds', component: 's', message: 'nobody says it' }])).toEqual([
      'nobody says it',
    ]);
  });

  test('stays the subject’s where the doubt is about a tool that was not called, or another judge', () => {
    expect(doubts([createProblem('tool-answer-untrue', 'other', 'it lies')])).toEqual([]);
    expect(doubts([createProblem('tool-guard-missing', 'issue_refund', 'no guard')])).toEqual([]);
    expect(doubts([], [{ code: 'checker-demands-path', component: 'other', message: 'one path' }])).toEqual([]);
  });
});
