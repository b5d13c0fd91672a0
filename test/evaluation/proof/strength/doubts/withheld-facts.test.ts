import { expect, test } from 'vitest';
import { withheldFacts } from '../../../../../src/evaluation/proof/strength/doubts/withheld-facts.ts';
import type { JudgedSample } from '../../../../../src/evaluation/proof/strength/plays/judge-plays.ts';
import { Sample } from '../../../../../src/scenario/sample.ts';
import { lampsDesign, turnOn } from '../../../lamps.ts';

/** Tells whether a value that gold needs is found missing in the first words of the user. */
function isWithheld(value: string, first: string): boolean {
  const sample = Sample.parse({ ...turnOn, user: { says_first: first }, gold: [] });
  const world = { owner: value };
  const call = { step: 1, tool: 'find', input: { owner: value }, output: null, is_error: false };
  const played = { before: world, after: world, stop: 'done', says: [], calls: [call] };
  const judged = { loaded: { sample, world }, plays: [{ kind: 'gold', played }] } as unknown as JudgedSample;
  return withheldFacts(judged, { design: lampsDesign(), tools: [] }).length > 0;
}

test.each([
  ['Anna', 'I am Anna.', false],
  ['HW-2041', 'It is about hw 2041, please.', false],
  ['LAMP-GREEN', 'I want two green lamps.', false],
  ['李明', '我是李明，你好。', false],
  ['two-week', 'The two\u2011week one.', false],
])('%s is told by "%s"', (value, first, withheld) => {
  expect(isWithheld(value, first)).toBe(withheld);
});

test.each([
  ['Anna', 'It ends in Havan. Narrow it down.'],
  ['Tom', 'Send it to me tomorrow.'],
  ['李明', '我姓李。明天见。'],
  ['L-7', 'It is L-70.'],
])('%s is not told by "%s"', (value, first) => {
  expect(isWithheld(value, first)).toBe(true);
});
