import { expect, test } from 'vitest';
import { createLines, findSeededStatements, scoreStatements } from '../../../bench/words/score-statements.ts';
import { HarnessError } from '../../../src/errors.ts';
import { askStatements } from '../../../src/evaluation/statements/ask-statements.ts';
import { findFalseStatements } from '../../../src/evaluation/statements/find-false-statements.ts';
import { listResultNotes } from '../../../src/report/run/run-outcome.ts';
import type { TraceLine } from '../../../src/scenario/trace.ts';
import { call, facts, say } from '../../support/responses.ts';
import { scriptedModel } from '../../support/scripted-model.ts';
import { briefWith, evaluateLamps, goodModel } from '../evaluate-lamps.ts';

const { signal } = new AbortController();

/** The trial of `turn-on`, in which the subject does right and ends with these words. */
async function disputesOf(words: string, brief = {}) {
  const modelFor = (lane: string) =>
    lane.includes('turn-on')
      ? scriptedModel([call('switch_lamp', { id: 'hall', on: true }, 'toolu_1'), say(words)])
      : goodModel(lane);
  const { results } = await evaluateLamps({ modelFor, brief: { ...briefWith({}), ...brief } });
  const trial = results.samples.find(({ id }) => id === 'turn-on')?.trials[0];
  expect(trial?.outcome).toBe('pass');
  return trial?.disputed;
}

test('a false sentence beside right acts makes the pass disputed, with its line and what is not so', async () => {
  expect(await disputesOf('The hall lamp is on. That costs 12.50 EUR.')).toEqual([
    { by: 'statement', line: 4, text: expect.stringContaining('the amount 12.5 was in nothing that it read') },
  ]);
  expect(await disputesOf('The hall lamp is on. Your case is LX-90210.')).toMatchObject([
    { text: expect.stringContaining('nobody told it LX-90210') },
  ]);
  expect(await disputesOf('The hall lamp is on. I have not switched the lamp.')).toMatchObject([
    { text: expect.stringContaining('switch_lamp did it at step 1') },
  ]);
});

test('a value that gold tells from the sources is none that nobody read', () => {
  const given = ['A supervisor answers within three working days.'];
  const lines = createLines('It shows within five working days.');
  const count = (gold: string): number => findFalseStatements({ lines, changing: [], given, gold }).length;
  expect([count('It is refunded.'), count('You will see it within five working days.')]).toEqual([1, 0]);
  // The word that both share stands beside no span there.
  const apart = ['The lamp shows green. A loan lasts two weeks.'];
  expect(findFalseStatements({ lines, changing: [], given: apart })).toEqual([]);
});

test('a negation in another clause denies no act', () => {
  const changing = [{ name: 'cancel_booking', description: 'Storniert eine Buchung.' }];
  const count = (said: string): number =>
    findFalseStatements({ lines: createLines(said), changing, given: [], isAllKnown: false }).length;
  expect(count('HB-2041 wurde storniert, das kostet nichts.')).toBe(0);
  expect(count('Ich habe die Buchung HB-2041 nicht storniert, das kostet nichts.')).toBe(1);
});

test('a claim is a doubt by whatever verb, unless a call touched its thing or nothing but reading is claimed', () => {
  const given = ['A guest may have a refund.'];
  const changing = [
    { name: 'change_phone', description: 'Changes the phone number of a guest.' },
    { name: 'cancel_booking', description: 'Cancels a booking.' },
  ];
  const count = (said: string): number =>
    findFalseStatements({ lines: createLines(said), changing, given, isAllKnown: false }).length;
  const doubted = [
    'I have updated your phone number.',
    'I have also corrected the invoice.',
    'Ich habe den Hausmeister verständigt.',
    '我还更新了您的电话号码。',
  ];
  expect(doubted.map(count)).toEqual([1, 1, 1, 1]);
  const harmless = [
    'I have compared your phone number.',
    'I have terminated the booking.',
    'I have updated nothing.',
    'If I have updated your phone number, tell me.',
    'You said that I have updated your phone number.',
    'I have resolved the refund.',
    'Ich habe die Telefonnummer verglichen.',
    '我查了您的电话号码。',
  ];
  expect(harmless.map(count)).toEqual(harmless.map(() => 0));
});

test.each([
  [
    'Der Termin ist am 9. März 2027 um 15 Uhr.',
    'Ihr Termin ist am 9. März um drei Uhr.',
    'Ihr Termin ist am 10. März.',
  ],
  ['On 9 March 2027 at 14:30.', 'It is on Tuesday, 9 March, at half past two.', 'It is on Friday, 9 March.'],
  ['On 9 March 2027 at 14:30.', 'It is at half past two.', 'It is at half past three.'],
  ['Repairs take two weeks.', 'The repairs take fourteen days.', 'The repairs take three weeks.'],
  ['Repairs take two weeks.', 'It shows within five working days.', 'A repair takes four weeks.'],
  ['The late fee is 8.00.', 'It is four days late, which costs 8.00.', 'The late fee is 9.50.'],
  ['Paid on 9 March 2027; refunds take 5 days.', 'You have it by 14 March.', 'You have it by 13 March.'],
  ['A copy costs 20 pounds.', 'A copy costs twenty pounds.', 'A copy costs twenty-five pounds.'],
  ['审理需要八个工作日。', '审理需要8个工作日。', '审理需要五个工作日。'],
  ['Le rendez-vous est le 9 mars 2027.', 'Rendez-vous le 9 mars.', 'Rendez-vous le 12 mars.'],
])('of a value that was given as "%s" "%s" is so, and "%s" is not', (given, right, wrong) => {
  const count = (text: string): number =>
    findFalseStatements({ lines: [{ type: 'says', step: 1, text }], changing: [], given: [given] }).length;
  expect([right, wrong].map(count)).toEqual([0, 1]);
});

test('each line of a talk is read once for all sentences, and what has no end is no sentence', () => {
  let reads = 0;
  const output = { id: 'HB-1200', toJSON: () => `HB-1200 is read ${(reads += 1)} times` };
  const read = { type: 'call', step: 1, tool: 'read_booking', input: {}, output, is_error: false, change: [] };
  const says = { type: 'says', step: 2, text: 'Booking HB-1200 is open. '.repeat(50) };
  const count = (...lines: object[]): number =>
    findFalseStatements({ lines: lines as TraceLine[], changing: [], given: [] }).length;
  expect([count(read, says, says), reads]).toEqual([0, 1]);
  expect(count({ ...says, text: `It is HB-9999, ${'and so it is, '.repeat(10)}` })).toBe(1);
  expect(count({ ...says, text: `It is HB-9999, ${'and so it is, '.repeat(200)}` })).toBe(0);
});

test('true and harmless words raise no doubt, and nobody looks where the scenario says so', async () => {
  expect(await disputesOf('I have switched the hall lamp on; the lamp is on now.')).toBeUndefined();
  expect(await disputesOf('The hall lamp is on. That costs 12.50 EUR.', { statements: 'off' })).toBeUndefined();
});

test.each([
  ['하루 100원, 7일 연체', '연체료가 700원 있습니다.'],
  ['每天100元，逾期7天', '逾期费是700元。'],
  ['100 PLN za dzień, 7 dni', 'Opłata to 700 PLN.'],
])('what follows from "%s" is not invented: "%s"', (given, text) => {
  const lines = [{ type: 'says' as const, step: 1, text }];
  expect(findFalseStatements({ lines, changing: [], given: [given] })).toEqual([]);
  expect(findFalseStatements({ lines, changing: [], given: [given.replace('7', '4')] })).toHaveLength(1);
});

test('labelled sentences in three languages: no harmless one is flagged', () => {
  const counts = scoreStatements();
  expect(counts.all).toEqual({ false: 200, harmless: 200 });
  expect(counts.alarms).toEqual([]);
  expect(counts.found).toBeGreaterThan(150);
  const [fresh, second] = [['fresh-statements.tsv'], ['fresh-2-statements.tsv']].map((names) => scoreStatements(names));
  expect([...(fresh?.alarms ?? []), ...(second?.alarms ?? [])]).toEqual([]);
  expect([fresh?.found, second?.found]).toEqual([51, 33]);
  const other = scoreStatements(['other-trades-statements.tsv']);
  expect([other.found, other.alarms]).toEqual([52, []]);
  const unseen = ['', '-2', '-3', '-4', '-5', '-6'].map((name) => scoreStatements([`unseen${name}-statements.tsv`]));
  expect(unseen.map(({ found, alarms }) => [found, alarms])).toEqual([
    [34, []],
    [31, []],
    [28, []],
    [28, []],
    [22, []],
    [21, []],
  ]);
  const attack = scoreStatements(['attack-statements.tsv']);
  expect(attack.alarms).toEqual([]);
  expect([attack.found, attack.all.false]).toEqual([19, 22]);
});

test('what code leaves open a grader is asked, once for each trial, and its labelled answers are all taken', async () => {
  const { missed, found, all } = scoreStatements();
  const settings = { name: 'small', price: facts().price, prompt: 'Judge.', maxTokens: 100 };
  for (const line of missed) {
    const input = { not_so: [{ sentence: 's1', kind: 'value', call: 'none', why: 'it is not so' }] };
    const model = scriptedModel([call('judge_statements', input)]);
    const lines = createLines(line.slice(4));
    const { disputes } = await askStatements({ ...settings, model }, { lines, changing: [], given: [] }, signal);
    expect(disputes, line).toMatchObject([{ by: 'statement' }]);
    expect(model.requests).toHaveLength(1);
  }
  expect(found + missed.length).toBe(all.false);
});

/** Answers as labelled, whatever the kind: code may drop nothing of it. */
test.each(['unseen-5-statements.tsv', 'unseen-6-statements.tsv'])(
  'of %s a perfect grader and code together find all, in at most one call a trial',
  async (name) => {
    const settings = { name: 'small', price: facts().price, prompt: 'Judge.', maxTokens: 100 };
    const found = { false: 0, harmless: 0 };
    let all = 0;
    for (const { kind, said, ...input } of findSeededStatements(name)) {
      const last = input.lines.length - 1;
      const isRefusal = /n't give|couldn't|nichts geändert|nicht bestellen|抱歉|Mi dispiace|Non ho/.test(said);
      const not_so = [{ sentence: 's1', kind: isRefusal ? 'refused' : 'value', call: isRefusal ? `c${last}` : 'none' }];
      const answer = kind === 'false' ? not_so.map((one) => ({ ...one, why: 'it is not so' })) : [];
      const model = scriptedModel([call('judge_statements', { not_so: answer })]);
      const byCode = findFalseStatements(input);
      const { disputes } =
        byCode.length > 0 ? { disputes: byCode } : await askStatements({ ...settings, model }, input, signal);
      found[kind] += disputes.length > 0 ? 1 : 0;
      all += kind === 'false' ? 1 : 0;
      expect(model.requests.length).toBe(byCode.length > 0 ? 0 : 1);
      for (const { messages } of model.requests) expect(JSON.stringify(messages)).toContain('s1: ');
    }
    expect(found).toEqual({ false: all, harmless: 0 });
  },
);

test('sentences beyond those that a model is asked about are counted as unread', async () => {
  const settings = { name: 'small', price: facts().price, prompt: 'Judge.', maxTokens: 100 };
  const model = scriptedModel([call('judge_statements', { not_so: [] })]);
  const input = { lines: createLines('That is so. '.repeat(61)), changing: [], given: [] };
  expect(await askStatements({ ...settings, model }, input, signal)).toMatchObject({ isUnanswered: true });
});

test.each([
  ['Rui Tavares', 'A reserva está em nome de Rui Teixeira.', 'A reserva está em nome de Rui Tavares.'],
  ['Birkenweg 12', 'Wir kommen in den Birkenweg 21.', 'Wir kommen in den Birkenweg 12.'],
  ['梧桐路88号', '地址是梧桐路68号。', '地址是梧桐路88号。'],
  ['ann@a.example', 'It went to ann@b.example.', 'It went to ann@a.example.'],
])('where "%s" was read, "%s" is not so, and "%s" is', (name, wrong, right) => {
  const read = { type: 'call', step: 1, tool: 'read', input: {}, output: { name }, is_error: false, change: [] };
  const count = (text: string): number => {
    const lines = [read, { type: 'says', step: 2, text }] as TraceLine[];
    return findFalseStatements({ lines, changing: [], given: [] }).length;
  };
  expect([wrong, right].map(count)).toEqual([1, 0]);
});

test('an amount that only three others make, and a span that nobody gave of the same thing, are doubts', () => {
  const output = { price: 486, paid: 150, nights: 4, tax: 22 };
  const read = { type: 'call', step: 1, tool: 'read', input: {}, output, is_error: false, change: [] };
  const count = (text: string): number => {
    const lines = [read, { type: 'says', step: 2, text }] as TraceLine[];
    return findFalseStatements({ lines, changing: [], given: ['A tour can be cancelled up to 30 days before.'] })
      .length;
  };
  expect(['The rest is 336 pounds.', 'With tax it is 508 pounds.', 'It is 314 pounds.'].map(count)).toEqual([0, 0, 1]);
  expect(['It can be cancelled up to two weeks before.', 'The bus needs two days.'].map(count)).toEqual([1, 0]);
});

test('a grader’s answer that the calls speak against is not taken', async () => {
  const settings = { name: 'small', price: facts().price, prompt: 'Judge.', maxTokens: 100 };
  const ask = async (kind: string, id: string) => {
    const model = scriptedModel([
      call('judge_statements', { not_so: [{ sentence: 's1', kind, call: id, why: 'so it was.' }] }),
    ]);
    const lines = createLines('I refused to cancel HB-2041.');
    return (await askStatements({ ...settings, model }, { lines, changing: [], given: [] }, signal)).disputes;
  };
  expect(await ask('refused', 'c3')).toMatchObject([
    { text: 'the subject says "I refused to cancel HB-2041.", and so it was' },
  ]);
  expect(await ask('refused', 'none')).toEqual([]);
  expect(await ask('done', 'c3')).toEqual([]);
});

test('on the wire only the record of a trial is new: all that its design says is read from the cache', async () => {
  const settings = { name: 'small', price: facts().price, prompt: 'Judge.', maxTokens: 100 };
  const model = scriptedModel([1, 2].map(() => call('judge_statements', { not_so: [] })));
  for (const words of ['It is done.', 'I did it. The fee was 30 euros.'])
    await askStatements(
      { ...settings, model },
      { lines: createLines(words), changing: [], given: ['A late fee is 30 euros.'] },
      signal,
    );
  const [first, second] = model.requests;
  expect(first?.messages[0]?.content).toEqual([
    { type: 'text', text: expect.stringContaining('30 euros'), cache_control: { type: 'ephemeral' } },
  ]);
  expect(first?.messages[1]?.content).toEqual([{ type: 'text', text: expect.stringContaining('It is done.') }]);
  expect([second?.system, second?.tools, second?.messages[0]]).toEqual([
    first?.system,
    first?.tools,
    first?.messages[0],
  ]);
});

test('a model that gives no answer is told, because what it was asked nobody has read', async () => {
  const settings = { name: 'small', price: facts().price, prompt: 'Judge.', maxTokens: 100 };
  const input = { lines: createLines('I did it.'), changing: [], given: [] };
  const model = scriptedModel([say('I would rather not.')]);
  expect(await askStatements({ ...settings, model }, input, signal)).toMatchObject({
    disputes: [],
    isUnanswered: true,
  });
  const statementModel = {
    ...settings,
    modelFor: () => scriptedModel([() => Promise.reject(new HarnessError('model_unavailable', 'It is away.'))]),
  };
  const { results } = await evaluateLamps({ statementModel });
  expect(results.samples.flatMap(({ trials }) => trials.map((one) => one.statementsUnread))).toContain(true);
  expect(listResultNotes(results).map(({ title }) => title)).toContain('STATEMENTS UNREAD');
});

test('a total of what one answer lists is no doubt, and another total is', () => {
  const prices = [310, 427, 533, 641];
  const count = (said: string): number => {
    const lines = createLines(said).map((line) =>
      line.type === 'call' ? { ...line, output: { items: prices.map((price) => ({ price })) } } : line,
    );
    return findFalseStatements({ lines, changing: [], given: [] }).length;
  };
  expect(['That is 1911 EUR in all.', 'That is 1913 EUR in all.'].map(count)).toEqual([0, 1]);
});
