import { expect, test } from 'vitest';
import { KEPT_CHARS } from '../../../src/adapters/sandbox/limits.ts';
import { createArgumentSharer, createValueCache, withEdits } from '../../../src/adapters/sandbox/shared-values.ts';

const text = 'x'.repeat(70_000);
const base = { shop: { text, orders: { a: { open: true }, 'b/c': { open: true } } } };
const changed = { shop: { ...base.shop, orders: { a: { open: false } } } };
const shared = [{ at: ['1'], base }];

test('of a large value its name travels and what is other in it; the same content has the same name for everybody', () => {
  const first = createArgumentSharer()({ args: [{ id: 'a' }, changed], shared });
  if ('fault' in first) throw new Error(first.fault);
  const { name = '' } = first.keeps[0] ?? {};
  expect(name).toMatch(/^[0-9a-f]{32}$/);
  expect(first).toEqual({
    args: [{ id: 'a' }, null],
    keeps: [{ name, text: JSON.stringify(base) }],
    places: [
      [
        ['1'],
        name,
        [
          ['remove', ['shop', 'orders', 'b/c']],
          ['replace', ['shop', 'orders', 'a', 'open'], false],
        ],
      ],
    ],
  });
  const twin = structuredClone(base);
  const again = createArgumentSharer()({ args: [{}, twin], shared: [{ at: ['1'], base: twin }] });
  expect(again).toMatchObject({ keeps: [{ name }], places: [[['1'], name, []]] });
});

test('a small value, and what nobody shares, travels as it is', () => {
  const small = { orders: {} };
  const args = [{ id: 'a' }, small];
  expect(createArgumentSharer()({ args, shared: [{ at: ['1'], base: small }] })).toEqual({
    args,
    keeps: [],
    places: [],
  });
  expect(createArgumentSharer()(args)).toEqual({ args, keeps: [], places: [] });
});

test('what a host says of its edits is held against what was given, and anything else is a fault', () => {
  const given = { args: [{ id: 'a' }, changed], shared };
  const edit = (...edits: unknown[]) => withEdits(given, [], edits);
  expect(edit()).toEqual({ args: given.args });
  expect(edit([1, [['add', ['shop', 'orders', 'd/e'], 1]]])).toMatchObject({
    args: [{ id: 'a' }, { shop: { orders: { a: { open: false }, 'd/e': 1 } } }],
  });
  // What was not changed is not copied either: the next difference is found at once.
  const left = edit([1, [['replace', ['shop', 'orders'], {}]]]) as { args: [unknown, typeof base] };
  expect(left.args[1].shop.text).toBe(text);
  expect(withEdits(given, [{ id: 'b' }, null], [])).toEqual({ args: [{ id: 'b' }, changed] });
  for (const wrong of [
    [0, [['replace', [], {}]]],
    [1, [['move', ['a'], 1]]],
    [1, [['remove', [7]]]],
    [1, 'all'],
    'nothing',
    [1, [['replace', ['no', 'such', 'place'], 1]]],
    [1, [['add', ['__proto__', 'own'], 1]]],
  ])
    expect(edit(wrong), JSON.stringify(wrong)).toHaveProperty('fault');
  expect(withEdits(given, [], { 1: [] })).toHaveProperty('fault');
});

test('a host is sent each value once, and forgets the oldest when they are too many', () => {
  const shelf = createValueCache();
  const third = (name: string) => ({ name, text: 'x'.repeat(KEPT_CHARS / 3) });
  const [a, b, c, d] = [third('a'), third('b'), third('c'), third('d')];
  expect(shelf.put([a])).toEqual([{ ...a, drop: [] }]);
  expect(shelf.put([a, b])).toEqual([{ ...b, drop: [] }]);
  expect(shelf.put([c])).toMatchObject([{ name: 'c', drop: [] }]);
  expect(shelf.put([a])).toEqual([]);
  expect(shelf.put([d])).toMatchObject([{ name: 'd', drop: ['b'] }]);
  expect(shelf.put([a, c, d])).toEqual([]);
  expect(shelf.put([b])).toMatchObject([{ name: 'b', drop: ['a'] }]);
});
