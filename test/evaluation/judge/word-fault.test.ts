/** A trial that fails by words alone: whether it is the spelling, or whether only a reader can say. */
import { expect, test } from 'vitest';
import { Sample } from '../../../src/scenario/sample.ts';
import type { SampleResult } from '../../../src/scenario/result.ts';
import { respellRecord, findWordFault } from '../../../src/evaluation/judge/word-fault.ts';
import { call, say } from '../../support/responses.ts';
import { scriptedModel } from '../../support/scripted-model.ts';
import { evaluateLamps, goodModel } from '../evaluate-lamps.ts';
import { lockedLamp } from '../lamps.ts';

const checker = (more = '') => `
export const checker = { id: 'fee-named', description: 'R2: the fee is named.', rules: ['R2']${more} };
export function check({ trace }) {
  const pass = trace.says.some((text) => text.includes('8 EUR'));
  return { pass, reason: pass ? 'named' : 'the fee was not named', evidence: [] };
}
`;
const sample = { ...lockedLamp, gold_says: 'It is locked. Opening costs 8 EUR.', checkers: ['fee-named'] };

async function said(text: string, more = ''): Promise<SampleResult | undefined> {
  const model = (lane: string) =>
    lane.includes('locked')
      ? scriptedModel([call('read_lamp', { id: 'cellar' }, 'toolu_1'), say(text)])
      : goodModel(lane);
  const files = { 'samples/locked-lamp.json': sample, 'checkers/fee-named.mjs': checker(more) };
  const { results } = await evaluateLamps({ files, modelFor: model });
  return results.samples.find(({ id }) => id === 'locked-lamp');
}

test('EUR 8 for 8 EUR is no failure of the subject: layer 3, and it is said which spelling would pass', async () => {
  expect(await said('It is locked, and costs EUR 8.')).toMatchObject({
    ...{ outcome: 'fail', layer: 3, cause: '3' },
    why: [
      'checker fee-named refuses one spelling: it passes with "It is locked, and costs 8 EUR." for "It is locked, and costs EUR 8."',
      'fee-named: the fee was not named',
    ],
  });
});

test('other words stay the subject’s, and a reader is told to compare them with gold', async () => {
  const result = await said('It is locked. That makes eight.');
  expect(result).toMatchObject({ outcome: 'fail', cause: '4b' });
  expect(result?.why[0]).toContain('only words decide it: checker fee-named passes with gold');
});

test('a wrong amount, and a notation that the rule demands, are the subject’s', async () => {
  expect(await said('It is locked, and costs EUR 80.')).toMatchObject({ cause: '4b' });
  expect(await said('It is locked, and costs EUR 8.', ', exact_words: true')).toMatchObject({
    cause: '4b',
    why: ['fee-named: the fee was not named'],
  });
});

test('words are respelled where they stand, one kind at a time, and the record is not changed', () => {
  const played = { before: {}, after: {}, calls: [], says: ['It costs 8 EUR.', 'Bye'], stop: 'done' as const };
  const others = respellRecord(played);
  expect(new Set(others.map(({ kind }) => kind))).toEqual(new Set(['amount', 'case', 'punctuation']));
  expect(others[0]?.played.says).toEqual(['It costs 8.00 EUR.', 'Bye']);
  expect(played.says[0]).toBe('It costs 8 EUR.');
});

test('words that gold says on the way are tried too: a question that names the price in other words', async () => {
  const asks = { says: 'Opening it is free. Shall I?' };
  const own = Sample.parse({ ...sample, gold: [asks, { user: 'Yes.' }] });
  const says = ['You are not charged anything. Shall I?', 'It is open.'];
  const played = { before: {}, after: {}, calls: [], says, stop: 'done' as const };
  const failing = [{ checker: 'price-named', pass: false, reason: 'no price', evidence: [] }];
  const { wording } = await findWordFault({ sample: own, played, failing }, async (other) =>
    other.says.some((text) => text.includes('free')),
  );
  expect(wording).toContain(`"${asks.says}" for "${says[0]}"`);
});
