import { expect, test } from 'vitest';
import { withEvents, type TrialEvent } from '../../../src/evaluation/components/trial-record.ts';
import { hasWords, listOwnAnswers, withExchange, wordMutants } from '../../../src/evaluation/proof/word-mutants.ts';

const user = (step: number, text: string): TrialEvent => ({ type: 'user', step, text });
const says = (step: number, text: string): TrialEvent => ({ type: 'says', step, text });
const call = (step: number, tool: string, change: { op: 'add'; path: string; value: number }[] = []): TrialEvent => ({
  ...{ type: 'call', step, tool, input: {}, output: null, is_error: false, change },
});
const charge = (step: number) => call(step, 'charge', [{ op: 'add', path: '/paid', value: 1 }]);
const record = (...events: TrialEvent[]) => withEvents({ before: {}, after: { paid: 1 }, stop: 'done' }, events);
const shown = ({ events = [] }: { events?: TrialEvent[] }) =>
  events.map((event) => (event.type === 'call' ? event.tool : `${event.type}: ${event.text}`));

const gold = record(user(0, 'Hi'), call(1, 'look'), says(2, 'Shall I?'), user(2, 'Yes.'), charge(3), says(4, 'Done.'));

test('the question and the yes before a change are taken out, turned round, or come too late', () => {
  const mutants = wordMutants(gold).flat();
  expect(mutants.map(({ kind }) => kind)).toEqual(['not-asked', 'not-answered', 'refused', 'asked-too-late']);
  expect(mutants.map(({ played }) => shown(played))).toEqual([
    ['user: Hi', 'look', 'charge', 'says: Done.'],
    ['user: Hi', 'look', 'says: Shall I?', 'charge', 'says: Done.'],
    ['user: Hi', 'look', 'says: Shall I?', "user: No, please don't do that.", 'charge', 'says: Done.'],
    ['user: Hi', 'look', 'charge', 'says: Shall I?', 'user: Yes.', 'says: Done.'],
  ]);
  expect(mutants[0]?.played.calls).toHaveLength(2);
  expect(mutants[0]?.title).toBe('charge is called and "Shall I?" was never said');
});

test('an answer that is no yes is not turned round, and words before no change are none of its business', () => {
  const asked = record(user(0, 'Hi'), says(1, 'Your name?'), user(1, 'Mara.'), charge(2));
  expect(
    wordMutants(asked)
      .flat()
      .map(({ kind }) => kind),
  ).not.toContain('refused');
  expect(wordMutants(record(user(0, 'Hi'), says(1, 'Shall I?'), user(1, 'No.'), call(2, 'look')))).toEqual([]);
});

test('a yes to the change of another tool is no refusal of this one', () => {
  const yes = record(user(0, 'Hei'), says(1, 'Siirränkö?'), user(1, 'Kyllä.'), charge(2));
  const no = withEvents({ before: {}, after: {}, stop: 'done' }, [user(0, 'Hei'), says(1, 'Perunko?'), user(1, 'Ei.')]);
  expect(listOwnAnswers([yes, no], new Set(['cancel']))).toEqual({ yes: [], no: ['Ei.'] });
  expect(listOwnAnswers([yes, no], new Set(['charge']))).toEqual({ yes: ['Kyllä.'], no: ['Ei.'] });
});

test('what goes with every yes does not hide a refusal, and an answer to no question is none', () => {
  const log = (step: number) => call(step, 'log', [{ op: 'add', path: '/book', value: 1 }]);
  const yes = record(user(0, 'Hei'), says(1, 'Siirränkö?'), user(1, 'Kyllä.'), charge(2), log(3));
  const no = (said: string) => record(user(0, 'Hei'), says(1, said), user(1, 'Ei.'), log(2));
  const tools = new Set(['charge']);
  expect(listOwnAnswers([yes, no('Siirränkö?')], tools)).toEqual({ yes: ['Kyllä.'], no: ['Ei.'] });
  expect(listOwnAnswers([yes, no('Se ei käy.')], tools)).toEqual({ yes: ['Kyllä.'], no: [] });
});

test('only the last exchange before a change belongs to it', () => {
  const exchanges = [says(1, 'Your name?'), user(1, 'Mara.'), says(2, 'Shall I?'), user(2, 'Yes.')];
  const mutants = wordMutants(
    record(user(0, 'Hi'), ...exchanges, charge(3), says(4, 'And this?'), user(4, 'Yes.'), charge(5)),
  );
  expect(mutants.map(([first]) => first?.title)).toEqual([
    'charge is called and "Shall I?" was never said',
    'charge is called and "And this?" was never said',
  ]);
});

test('gold without words is tried with a question before its first change', () => {
  const silent = record(user(0, 'Hi'), call(1, 'look'), charge(2));
  expect([hasWords(gold), hasWords(silent)]).toEqual([true, false]);
  expect(withExchange(silent, 'refusal')?.events?.map(({ type, step }) => `${type} ${step}`)).toEqual([
    ...['user 0', 'call 1', 'says 2', 'user 2', 'call 3'],
  ]);
  expect(shown(withExchange(silent, 'agreement') ?? {})).toContain('user: Yes, please go ahead.');
  expect(withExchange(record(user(0, 'Hi'), call(1, 'look')), 'refusal')).toBeUndefined();
});

test('a rule about one tool is tried on what is said before this tool changes something', () => {
  const note = (step: number) => call(step, 'note', [{ op: 'add', path: '/note', value: 1 }]);
  const both = record(
    user(0, 'Hi'),
    says(1, 'Shall I note it?'),
    user(1, 'Yes.'),
    note(2),
    says(3, 'Pay?'),
    user(3, 'Yes.'),
    charge(4),
  );
  const titles = (tools: string[]) => wordMutants(both, new Set(tools)).map(([first]) => first?.title);
  expect(titles(['charge'])).toEqual(['charge is called and "Pay?" was never said']);
  expect(titles(['note'])).toEqual(['note is called and "Shall I note it?" was never said']);
  const silent = record(user(0, 'Hi'), note(1), charge(2));
  expect(shown(withExchange(silent, 'refusal', new Set(['charge'])) ?? {}).indexOf('note')).toBe(1);
});
