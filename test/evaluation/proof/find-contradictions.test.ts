import { expect, test } from 'vitest';
import { findContradictions, isSettledByCases, type JudgedEnd } from '../../../src/evaluation/proof/verify-gold.ts';
import type { Design } from '../../../src/scenario/design.ts';
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

test('a table of cases that was read on both sides settles it: the rules agree, so a checker is wrong', () => {
  const [found] = find(end('gold path', true, false), end('wrong path', false, true));
  const settled = (second: object) => {
    const cases = { attributes: { day: '0..60' }, outcomes: { taken: ['yes', 'no'] }, impossible: [] };
    const rules = [
      { id: 'R1', when: { day: '..30' }, demands: { taken: 'yes' } },
      { id: 'R2', ...second },
    ];
    return found && isSettledByCases({ rules: { rules }, format: { cases } } as unknown as Design)(found);
  };
  expect(settled({ when: { day: '31..' }, demands: { taken: 'no' } })).toBe(true);
  expect(settled({ when: { day: '30..' }, demands: { taken: 'no' } })).toBe(false);
  // A rule that the table does not read may say anything.
  expect(settled({})).toBe(false);
  expect(found && isSettledByCases({ rules: { rules: [] }, format: {} } as unknown as Design)(found)).toBe(false);
});
