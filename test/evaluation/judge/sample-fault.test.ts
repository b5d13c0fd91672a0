/** What a failed trial shows of its sample, and what remains the subject's. */
import { expect, test } from 'vitest';
import { findSampleFault, type FailedPlay } from '../../../src/evaluation/judge/sample-fault.ts';
import { Sample } from '../../../src/scenario/sample.ts';

const sample = Sample.parse({
  ...{ id: 's', title: 's', category: 'c', covers: ['R1'], start: { world: {} } },
  user: { says_first: 'I want to send W1 back.', knows: { postcode: '20095' } },
  expect: { end_state: 'unchanged', must_say: [{ any: ['thirty days'] }], must_not_call: ['refund'] },
  gold: [
    { tool: 'verify', args: { postcode: '20095' } },
    { tool: 'log', args: { note: 'too late' } },
  ],
  ...{ gold_says: 'The thirty days are over.', wrong: [], checkers: ['c'], limits: { steps: 3 } },
});
const rejected = [{ checker: 'expect', pass: false, reason: 'no', evidence: [] }];
const call = (tool: string, input: Record<string, unknown>) => ({
  ...{ step: 1, tool, input, output: { ok: true }, is_error: false, change: [] },
});
const play = (more: Partial<FailedPlay['played']>, rest: Partial<FailedPlay> = {}): FailedPlay => ({
  ...{ sample, verdicts: rejected, stateDiff: [] },
  played: { before: {}, after: {}, calls: [], says: [], stop: 'done', ...more },
  ...rest,
});
test('a limit below the gold path and its question is the sample’s; one with room is the subject’s', () => {
  expect(findSampleFault(play({ stop: 'steps' }))).toMatch(/3 steps is less than the 4 .*one question/);
  const roomy = { ...sample, limits: { steps: 9 } };
  expect(findSampleFault(play({ stop: 'steps' }, { sample: roomy }))).toBeUndefined();
  expect(findSampleFault(play({ stop: 'steps' }, { sample: { ...sample, limits: {} } }))).toBeUndefined();
});

test('a user who says another thing than the gold path needs misleads; a subject that makes it up does not', () => {
  const user = { ...sample.user, knows: { postcode: '20097' } };
  const misled = play({ calls: [call('verify', { postcode: '20097' })] }, { sample: { ...sample, user } });
  expect(findSampleFault(misled)).toMatch(/its user says "20097".*"20095", which its user never says/);
  expect(findSampleFault(play({ calls: [call('verify', { postcode: '99999' })] }))).toBeUndefined();
});

test('a free text demanded word for word is the sample’s, unless a checker rejects it too', () => {
  const stateDiff = [{ path: '/notes/0', expected: 'too late', got: 'came after the window' }];
  const calls = [call('log', { note: 'came after the window' })];
  expect(findSampleFault(play({ calls }, { stateDiff }))).toBe('it demands a free text word for word at /notes/0');
  const both = [...rejected, { checker: 'window', pass: false, reason: 'no', evidence: [] }];
  expect(findSampleFault(play({ calls }, { stateDiff, verdicts: both }))).toBeUndefined();
  const number = [{ path: '/amount', expected: 3, got: 4 }];
  expect(findSampleFault(play({ calls }, { stateDiff: number }))).toBeUndefined();
});

test('words that say as much are the sample’s, unless something forbidden was done', () => {
  const says = ['Sorry, the 30 days are over.'];
  expect(findSampleFault(play({ says }))).toMatch(/too narrow: .*"thirty days"/);
  expect(findSampleFault(play({ says, calls: [call('refund', {})] }))).toBeUndefined();
  expect(findSampleFault(play({ says: ['No.'] }))).toBeUndefined();
});

test('a whole sentence that must be said is the sample’s, when the subject says most of it and its numbers', () => {
  const demanding = (any: string[]): Sample => ({ ...sample, expect: { ...sample.expect, must_say: [{ any }] } });
  const sentence = 'Your book is 12 days late, so I have charged a fee of 24 euros to your account.';
  const says = ['I charged the late fee of 24 euros: your book came back 12 days after the due date.'];
  expect(findSampleFault(play({ says }, { sample: demanding([sentence]) }))).toContain('demands the whole sentence');
  const others = ['I charged the late fee of 30 euros: your book came back 12 days after the due date.'];
  expect(findSampleFault(play({ says: others }, { sample: demanding([sentence]) }))).toBeUndefined();
  expect(findSampleFault(play({ says }, { sample: demanding([sentence, '24 pounds']) }))).toBeUndefined();
  const chinese = demanding(['您的书逾期了12天，所以我已经从您的账户中收取了24元的费用。']);
  expect(findSampleFault(play({ says: ['书逾期12天，已收取24元费用。'] }, { sample: chinese }))).toContain(
    'whole sentence',
  );
  expect(findSampleFault(play({ says: ['好的，没有费用。'] }, { sample: chinese }))).toBeUndefined();
});

test('the question to the user is counted by what the user has said already, in whatever case', () => {
  const user = { ...sample.user, says_first: 'I live in Old Town.', knows: { district: 'Old Town' } };
  const told = { ...sample, user };
  const gold = [{ tool: 'verify', args: { district: 'Old Town' } }];
  const short = (steps: number) => play({ stop: 'steps' }, { sample: { ...told, gold, limits: { steps } } });
  expect(findSampleFault(short(2))).toBeUndefined();
  expect(findSampleFault(short(1))).toBe('its limit of 1 steps is less than the 2 that its own gold path needs');
  const spoken = [{ says: 'Shall I?' }, { user: 'Yes.' }, ...gold];
  expect(
    findSampleFault(play({ stop: 'steps' }, { sample: { ...told, gold: spoken, limits: { steps: 2 } } })),
  ).toContain('less than the 3');
});

test('what was said in another notation is no missing word, and is not blamed for being too narrow', () => {
  const must_say = [{ any: ['38.00 EUR'] }, { any: ['opened toothbrush'] }];
  const demanding = { ...sample, expect: { ...sample.expect, must_say } };
  const said = play({ says: ['I paid €38: your toothbrush was opened.'] }, { sample: demanding });
  expect(findSampleFault(said)).toContain('says as much as "opened toothbrush" in other words');
});

test('a value that a tool has answered is the subject’s to find, and numbers are no words of a user', () => {
  const user = { ...sample.user, knows: { postcode: '20097' } };
  const misled = { ...call('verify', { postcode: '20097' }), output: { address: { postcode: '20095' } } };
  expect(findSampleFault(play({ calls: [misled] }, { sample: { ...sample, user } }))).toBeUndefined();
  const gold = [{ tool: 'pay', args: { amount: 38 } }];
  const said = { ...sample.user, says_first: 'Pay 40.', knows: {} };
  expect(
    findSampleFault(play({ calls: [call('pay', { amount: 40 })] }, { sample: { ...sample, user: said, gold } })),
  ).toBeUndefined();
});

test('a free text is the subject’s own words on both sides, and nothing that a tool made', () => {
  const free = (expected: string, got: string, note = got) =>
    findSampleFault(play({ calls: [call('log', { note })] }, { stateDiff: [{ path: '/notes/0', expected, got }] }));
  expect(free('too late', 'after the window')).toContain('word for word');
  expect(free('late', 'after the window')).toBeUndefined();
  expect(free('too late', 'after')).toBeUndefined();
  expect(free('too late', 'after the window', 'another note')).toBeUndefined();
});
