import { expect, test } from 'vitest';
import { findContradictions, type JudgedEnd } from '../../../src/evaluation/proof/find-contradictions.ts';
import { Sample } from '../../../src/scenario/sample.ts';
import { turnOn } from '../lamps.ts';

const specs = [
  { id: 'a', description: 'a', rules: ['R1', 'R3'] },
  { id: 'b', description: 'b', rules: ['R2', 'R3'] },
];
const sample = Sample.parse({ ...turnOn, covers: ['R1', 'R2', 'R3'], checkers: ['a', 'b'] });

function end(name: string, a: boolean, b: boolean, broken?: true): JudgedEnd {
  const verdict = (checker: string, pass: boolean) => ({ checker, pass, reason: 'x', evidence: [] });
  const verdicts = [verdict('a', a), { ...verdict('b', b), ...(broken === undefined ? {} : { broken }) }];
  return { name, verdicts, played: { before: {}, after: {}, calls: [], says: [], stop: 'done' } };
}
const find = (...ends: JudgedEnd[]) => findContradictions(sample, specs, ends);

test('two ends that each keep one of two rules show a contradiction, with the rules that are not shared', () => {
  const found = find(end('gold path', true, false), end('wrong path', false, true));
  expect(found).toMatchObject([
    { checkers: ['a', 'b'], problem: { layer: 1, component: 'R1, R2', sample: 'turn-on' } },
  ]);
  expect(found[0]?.problem.message).toContain('the gold path satisfies only the first, the wrong path only the second');
});

test('an end that keeps both shows that there is none', () => {
  expect(find(end('gold', true, false), end('wrong', false, true), end('third', true, true))).toEqual([]);
});

test('one rule that nothing keeps is no contradiction, nor is a checker that broke', () => {
  expect(find(end('gold', true, false), end('wrong', true, false))).toEqual([]);
  expect(find(end('gold', true, false, true), end('wrong', false, true))).toEqual([]);
});

test('two checkers of the same rule disagree as checkers, not as rules', () => {
  const same = specs.map((spec) => ({ ...spec, rules: ['R3'] }));
  expect(findContradictions(sample, same, [end('gold', true, false), end('wrong', false, true)])).toEqual([]);
});
