import { describe, expect, test } from 'vitest';
import { acceptedEnds, judgeExpectation } from '../../../src/evaluation/judge/judge-expectation.ts';
import type { TrialRecord, TrialCall } from '../../../src/evaluation/components/trial-record.ts';
import { Sample } from '../../../src/scenario/sample.ts';
import { turnOn } from '../lamps.ts';

const before = { lamps: { hall: { on: false }, cellar: { on: true } } };
const lit = { lamps: { hall: { on: true }, cellar: { on: true } } };

const sample = (expect_: object): Sample => Sample.parse({ ...turnOn, expect: { end_state: 'unchanged', ...expect_ } });
const call = (step: number, tool: string, input: Record<string, unknown>): TrialCall => ({
  step,
  tool,
  input,
  output: {},
  is_error: false,
  change: [],
});
const played = (more: Partial<TrialRecord> = {}): TrialRecord => ({
  before,
  after: before,
  calls: [],
  says: ['All done.'],
  stop: 'done',
  ...more,
});
const turned = { patch: [{ op: 'replace', path: '/lamps/hall/on', value: true }] };

test('what must be said may be written in any notation', () => {
  const fee = sample({ must_say: [{ any: ['8 EUR'] }] });
  const saying = (text: string) => judgeExpectation(fee, played({ says: [text] })).pass;
  expect(['It is 8 EUR.', 'It is **EUR 8.00**.', 'It is €8.'].map(saying)).toEqual([true, true, true]);
  expect(['It is €80.', 'It is 8 USD.'].map(saying)).toEqual([false, false]);
});

describe('the end state', () => {
  test('is free where the checkers alone say how it may end; words and calls are asked for all the same', () => {
    const free = sample({ end_state: 'any', must_say: [{ any: ['done'] }], must_not_call: ['read_lamp'] });
    expect(judgeExpectation(free, played({ after: lit }))).toMatchObject({ pass: true, evidence: [] });
    expect(judgeExpectation(free, played({ after: lit, says: [] })).pass).toBe(false);
    expect(judgeExpectation(free, played({ calls: [call(1, 'read_lamp', {})] })).pass).toBe(false);
    expect(acceptedEnds(free, before)).toEqual({ ends: [], faults: [] });
  });

  test('is compared as a whole, and a difference names place, wanted and got', () => {
    expect(judgeExpectation(sample({ end_state: turned }), played({ after: lit })).pass).toBe(true);
    const verdict = judgeExpectation(
      sample({ end_state: turned }),
      played({ after: { lamps: { hall: { on: 1, dim: 2 } } } }),
    );
    expect(verdict).toEqual({
      checker: 'expect',
      pass: false,
      reason: 'the end state differs in 3 places',
      evidence: [
        '/lamps/cellar: expected {"on":true}, got nothing',
        '/lamps/hall/on: expected true, got 1',
        '/lamps/hall/dim: expected nothing, got 2',
      ],
    });
  });

  test('may be any of several, and the nearest one is shown', () => {
    const both = { patch: [...turned.patch, { op: 'remove', path: '/lamps/cellar' }] };
    const either = sample({ end_state: { any_of: ['unchanged', turned, both] } });
    for (const after of [before, lit, { lamps: { hall: { on: true } } }]) {
      expect(judgeExpectation(either, played({ after })).pass).toBe(true);
    }
    const { evidence } = judgeExpectation(either, played({ after: { lamps: { ...lit.lamps, attic: {} } } }));
    expect(evidence).toEqual(['/lamps/attic: expected nothing, got {}']);
  });

  test('that cannot be built is no pass', () => {
    const impossible = sample({ end_state: { patch: [{ op: 'remove', path: '/none' }] } });
    expect(acceptedEnds(impossible, before).faults).toHaveLength(1);
    expect(judgeExpectation(impossible, played()).pass).toBe(false);
  });
});

describe('words and calls', () => {
  test('one of the phrases must be said somewhere, whatever the case and the line breaks', () => {
    const polite = sample({ must_say: [{ any: ['Good evening', 'good day'] }, { any: ['bye'] }] });
    expect(judgeExpectation(polite, played({ says: ['Well, GOOD\n  day to you.', 'And bye.'] })).pass).toBe(true);
    expect(judgeExpectation(polite, played({ says: ['Good', 'day, bye'] }))).toMatchObject({
      pass: false,
      reason: 'never said: "Good evening" or "good day"',
      evidence: [],
    });
  });

  test('a forbidden call is named with its step and input, even one that failed', () => {
    const careful = sample({ must_not_call: ['switch_lamp'] });
    const calls = [call(1, 'read_lamp', {}), { ...call(3, 'switch_lamp', { id: 'hall' }), is_error: true }];
    expect(judgeExpectation(careful, played({ calls }))).toMatchObject({
      pass: false,
      evidence: ['must not be called: step 3: switch_lamp {"id":"hall"}'],
    });
  });
});

test.each(['steps', 'seconds', 'refusal', 'cut', 'infrastructure'] as const)(
  'a conversation that ended by %s is no pass',
  (stop) => {
    expect(judgeExpectation(sample({}), played({ stop }))).toMatchObject({ pass: false });
    expect(judgeExpectation(sample({}), played()).pass).toBe(true);
  },
);

test('an end that cannot be built is no end, and what is shown of a failure is bounded', () => {
  const nowhere = sample({ end_state: { patch: [{ op: 'replace', path: '/lamps/attic/on', value: true }] } });
  expect(judgeExpectation(nowhere, played())).toMatchObject({
    pass: false,
    evidence: ['no accepted end state can be built'],
    reason: expect.stringContaining('the end state differs in 1 place'),
  });
  const calls = Array.from({ length: 14 }, (_, step) => call(step, 'read_lamp', { id: 'x'.repeat(300) }));
  const { evidence } = judgeExpectation(sample({ must_not_call: ['read_lamp'] }), played({ calls }));
  expect(evidence).toHaveLength(12);
  expect(evidence[0]).toMatch(/^must not be called: step 0: read_lamp .{159}…$/);
});

test('each thing that was not said is named', () => {
  const must = (...phrases: string[]) => sample({ must_say: phrases.map((phrase) => ({ any: [phrase] })) });
  expect(judgeExpectation(must('8 EUR'), played()).reason).toBe('never said: "8 EUR"');
  expect(judgeExpectation(must('8 EUR', 'sorry'), played()).reason).toBe('never said: "8 EUR"; never said: "sorry"');
});

test('a side that is not there is shown as nothing', () => {
  const more = { lamps: { ...before.lamps, attic: { on: true } } };
  expect(judgeExpectation(sample({}), played({ after: more })).evidence).toEqual([
    '/lamps/attic: expected nothing, got {"on":true}',
  ]);
  const less = { lamps: { hall: before.lamps.hall } };
  expect(judgeExpectation(sample({}), played({ after: less })).evidence).toEqual([
    '/lamps/cellar: expected {"on":true}, got nothing',
  ]);
});
