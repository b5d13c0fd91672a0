import { expect, test } from 'vitest';
import { findUntoldItems } from '../../../../src/gate/rules/gaps/find-untold-items.ts';
import { rule } from '../../../support/designs.ts';

const text =
  '# Rules\n1. A lamp is repaired within a week.\n2. A cushion is never repaired.\n3. Lost letters are searched for\n   on Mondays.\n';
const [path, other] = ['policies/rules.md', { text: '# Brief\nHello there.', path: 'brief.md' }];
const quoting = (quote: string, source = path) => rule('R1', quote, { quote, source });
const rules = [quoting('A lamp is repaired within a week.'), quoting('A cushion is never repaired.')];
const find = (own = rules, share = 0.1) =>
  findUntoldItems(own, [other, { path, text }], () => ({ share, unknown: [] })).map(({ name }) => name);

test('shows the item that no rule quotes, in a list that rules quote', () => {
  expect(find()).toEqual(['3. Lost letters are searched for on Mondays.']);
});

test('is content where a rule tells the item in other words, or names its number', () => {
  expect(find(rules, 0.5)).toEqual([]);
  expect(find([...rules, rule('R3', 'Post.', { source: 'brief.md, 1; policies/rules.md, points 2 to 3' })])).toEqual(
    [],
  );
});

test('says nothing of a list that rules hardly quote', () => {
  expect(find(rules.slice(1))).toEqual([]);
});
