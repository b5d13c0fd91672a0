import { expect, test } from 'vitest';
import { Brief, makeId } from '../../src/scenario/brief.ts';
import { FormatSpec } from '../../src/scenario/design.ts';
import { Sample } from '../../src/scenario/sample.ts';
import { turnOn } from '../evaluation/lamps.ts';

test.each([
  ['late-returns', 'late-returns'],
  ['a--b', 'a--b'],
  ['Late returns', 'late-returns'],
  ['Überfällige Rückgaben', 'überfällige-rückgaben'],
  ['逾期归还', '逾期归还'],
  ['Ｌａｔｅ （２）', 'late-2'],
  ['Возврат книг!', 'возврат-книг'],
  ['…', ''],
])('%s', (name, id) => {
  expect(makeId(name)).toBe(id);
  expect(makeId(id)).toBe(id);
});

test('a category may be named in any script, and brief, design and sample mean the same one', () => {
  const categories = Brief.shape.samples.parse({ min: 1, categories: ['逾期 归还', 'Späte Rückgabe'] }).categories;
  expect(categories).toEqual(['逾期-归还', 'späte-rückgabe']);
  const [listed] = FormatSpec.shape.categories.parse([{ id: '逾期 归还', title: '逾期', samples: 1 }]);
  expect(listed?.id).toBe(categories[0]);
  expect(Sample.parse({ ...turnOn, category: 'Späte Rückgabe' }).category).toBe(categories[1]);
  expect(Sample.safeParse({ ...turnOn, category: '…' }).success).toBe(false);
});
