/** A sample whose user refuses what its gold path does. */
import { expect, test } from 'vitest';
import { withEvents, type TrialEvent } from '../../../src/evaluation/components/trial-record.ts';
import { findRefusingUser } from '../../../src/evaluation/judge/refusing-user.ts';
import { Sample } from '../../../src/scenario/sample.ts';

const sample = Sample.parse({
  ...{ id: 's', title: 's', category: 'c', covers: ['R1'], start: { world: {} } },
  user: { says_first: 'I brought my book back late.', knows: { 'agrees to the fee': 'No.' } },
  expect: { end_state: { patch: [{ op: 'add', path: '/fee', value: 2400 }] }, must_not_call: ['waive'] },
  gold: [
    { tool: 'look', args: { loan: 'L1' } },
    { tool: 'charge', args: { loan: 'L1', cents: 2400 } },
  ],
  ...{ gold_says: 'It is charged.', wrong: [], checkers: ['c'] },
});
const first: TrialEvent = { type: 'user', step: 0, text: 'I brought my book back late.' };
const says = (text: string): TrialEvent => ({ type: 'says', step: 1, text });
const user = (text: string): TrialEvent => ({ type: 'user', step: 1, text });
const charge = (cents: number): TrialEvent => ({
  ...{ type: 'call', step: 2, tool: 'charge', input: { loan: 'L1', cents }, output: { ok: true }, is_error: false },
  change: [{ op: 'add', path: '/fee', value: cents }],
});
const asked = says('The fee is 24.00 EUR. Shall I charge it?');
const find = (events: TrialEvent[], of = sample) =>
  findRefusingUser({ sample: of, played: withEvents({ before: {}, after: {}, stop: 'done' }, [first, ...events]) });

test('is at fault where the subject asks for what gold does, hears a no, and does not do it', () => {
  expect(find([asked, user('No, please.'), says('Then I charge nothing.')])).toBe(
    'its user says "No, please." to "The fee is 24.00 EUR. Shall I charge it?", and its gold path calls charge {"loan":"L1","cents":2400} all the same',
  );
});

test.each<[string, TrialEvent[]]>([
  ['the user agrees in the end', [asked, user('No.'), says('It is 24.00 EUR by the rules. Agreed?'), user('Yes.')]],
  ['the question is about something else', [says('Would you take a voucher?'), user('No.')]],
  ['the subject charges all the same', [asked, user('No.'), charge(2400)]],
  ['the subject has charged something else', [charge(30), asked, user('No.')]],
  ['nothing was asked', [says('It is done.')]],
])('is not at fault where %s', (_title, events) => {
  expect(find(events)).toBeUndefined();
});

test('is not at fault where gold goes on after a no', () => {
  const gold = [{ says: 'With the card?' }, { user: 'No.' }, { says: 'In cash?' }, { user: 'Yes.' }];
  expect(find([asked, user('No.')], { ...sample, gold: [...gold, ...sample.gold] })).toBeUndefined();
});
