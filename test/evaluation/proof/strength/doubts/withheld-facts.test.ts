/** Facts that gold uses and nobody tells the subject. */
import { expect, test } from 'vitest';
import type { JudgedSample } from '../../../../../src/evaluation/proof/strength/plays/judge-plays.ts';
import { withheldFacts } from '../../../../../src/evaluation/proof/strength/doubts/withheld-facts.ts';
import { Sample } from '../../../../../src/scenario/sample.ts';
import { lampsDesign, turnOn } from '../../../lamps.ts';

/** Whether the subject can know the value, when its user says these words. */
function isKnown(value: string, says: string): boolean {
  const sample = Sample.parse({ ...turnOn, user: { says_first: says } });
  const world = { rooms: [value] };
  const call = { step: 1, tool: 'switch_lamp', input: { id: value }, output: {}, is_error: false, change: [] };
  const played = { before: world, after: world, calls: [call], says: [], stop: 'done' as const };
  const plays = [{ kind: 'gold' as const, name: 'gold', played, refusedBy: new Set<string>() }];
  const judged: JudgedSample = { loaded: { sample, world }, plays, listed: [], strangers: [], measured: new Set() };
  return withheldFacts(judged, { design: lampsDesign(), tools: [] }).length === 0;
}

test.each([
  ['HW-2041', 'It is hw 2041.'],
  ['HW-2041', '我的订单号是hw2041。'],
  ['LAMP-GREEN', 'the green lamp'],
  ['张三', '我叫张三。'],
  ['B2', 'Room B2, please.'],
  ['M-1002', '회원 번호는 M-1002입니다.'],
  ['1955-08-12', '생년월일은 1955년 8월 12일입니다.'],
  ['1990-03-05', 'I was born on 5 March 1990.'],
  ['1990-03-05', 'Nasci em 5 de março de 1990.'],
])('%s is told by "%s"', (value, says) => {
  expect(isKnown(value, says)).toBe(true);
});

test.each([
  ['B2', 'Room AB25, please.'],
  ['C1', 'a lamp in music 12'],
  ['AT', 'What a day.'],
  ['20', 'It was in 2026.'],
  ['M-1002', '회원 번호는 M-10025입니다.'],
  ['1990-03-05', '생년월일은 1990년 3월 7일입니다.'],
])('%s is not told by "%s": a part of a word, or of two, says nothing', (value, says) => {
  expect(isKnown(value, says)).toBe(false);
});

test.each([
  ['Anna', 'I am Anna.', false],
  ['HW-2041', 'It is about hw 2041, please.', false],
  ['LAMP-GREEN', 'I want two green lamps.', false],
  ['李明', '我是李明，你好。', false],
  ['two-week', 'The two\u2011week one.', false],
])('%s is told by "%s"', (value, first, withheld) => {
  expect(isKnown(value, first)).toBe(!withheld);
});

test.each([
  ['Anna', 'It ends in Havan. Narrow it down.'],
  ['Tom', 'Send it to me tomorrow.'],
  ['李明', '我姓李。明天见。'],
  ['L-7', 'It is L-70.'],
])('%s is not told by "%s"', (value, first) => {
  expect(isKnown(value, first)).toBe(false);
});
