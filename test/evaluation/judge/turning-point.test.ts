/** The moment that decided a trial whose checker does not name it: the event after which it refuses for good. */
import { expect, test } from 'vitest';
import type { TrialResult } from '../../../src/scenario/result.ts';
import { call, say } from '../../support/responses.ts';
import { scriptedModel } from '../../support/scripted-model.ts';
import { evaluateLamps, goodModel } from '../evaluate-lamps.ts';
import { lockedLamp, turnOn } from '../lamps.ts';

const read = (id: string, serial: string) => call('read_lamp', { id }, serial);
/** A checker that refuses without a word of evidence. */
const silent = (passes: string) => `
export const checker = { id: 'silent', description: 'R2: as the house wants it.', rules: ['R2'] };
export function check({ before, after, trace, final }) {
  return { pass: ${passes}, reason: 'not as it should be', evidence: [] };
}
`;
const free = { ...lockedLamp, checkers: ['silent'], expect: { end_state: 'any', must_say: [], must_not_call: [] } };

async function failed(passes: string, answers: Parameters<typeof scriptedModel>[0]): Promise<TrialResult | undefined> {
  const files = {
    'samples/locked-lamp.json': free,
    'samples/turn-on.json': turnOn,
    'checkers/silent.mjs': silent(passes),
  };
  const modelFor = (lane: string) => (lane.includes('locked') ? scriptedModel(answers) : goodModel(lane));
  const { results } = await evaluateLamps({ files, modelFor });
  const trial = results.samples.find(({ id }) => id === 'locked-lamp')?.trials[0];
  expect(trial?.outcome).toBe('fail');
  return trial;
}

const three = [read('hall', 'toolu_1'), read('cellar', 'toolu_2'), read('hall', 'toolu_3'), say('Both are on.')];

test('the call after which it refuses for good decided, not the last words', async () => {
  const trial = await failed(`!trace.calls.some(({ input }) => input.id === 'cellar')`, three);
  expect(trial?.deciding).toMatchObject({
    step: 2,
    line: 4,
    quote: expect.stringContaining('"id":"cellar"') as string,
  });
});

test('what was set right again decided nothing: only the turn that lasted counts', async () => {
  const toggled = [
    call('switch_lamp', { id: 'hall', on: false }, 'toolu_1'),
    call('switch_lamp', { id: 'hall', on: true }, 'toolu_2'),
    call('switch_lamp', { id: 'hall', on: false }, 'toolu_3'),
    read('hall', 'toolu_4'),
    say('Done.'),
  ];
  const trial = await failed('after.lamps.hall.on', toggled);
  expect(trial?.deciding).toMatchObject({ step: 3, line: 5, quote: expect.stringContaining('"on":false') as string });
});

test('words decide where they turn it; what was never done leaves the last words', async () => {
  const spoken = [say('I cannot help.')];
  expect((await failed(`!final.includes('cannot')`, spoken))?.deciding).toMatchObject({ quote: 'I cannot help.' });
  const never = await failed(`trace.calls.some(({ tool }) => tool === 'switch_lamp')`, three);
  expect(never?.deciding?.quote).toBe('Both are on.');
});

test('words that an act made due decided, and not the act', async () => {
  const due = `trace.calls.length === 0 || final.includes('locked')`;
  expect((await failed(due, three))?.deciding?.quote).toBe('Both are on.');
});

test('of several messages the one decided that gold’s words would mend', async () => {
  const first = read('hall', 'toolu_1');
  const looks = { ...first, content: [{ type: 'text' as const, text: 'I look first.' }, ...first.content] };
  const trial = await failed(`trace.says[0].includes('locked')`, [looks, say('Both are on.')]);
  expect(trial?.deciding?.quote).toBe('I look first.');
});

test('a checker that breaks on a shorter trial names nothing', async () => {
  const breaks = `(() => { if (trace.calls.length < 3) throw new Error('too short'); return false; })()`;
  expect((await failed(breaks, three))?.deciding?.quote).toBe('Both are on.');
});
