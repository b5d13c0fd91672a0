import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonFault, sameJson } from '../../../src/scenario/json/json-value.ts';
import { applyPatch, diffJson, valueAt } from '../../../src/scenario/json/patch.ts';
import { PatchOperation } from '../../../src/scenario/sample.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** Keys that patches and objects are known to trip over; `__proto__` is refused and has its own test. */
const key = fc.oneof(
  fc.constantFrom('a', 'b', 'a/b', 'm~n', '', '0', 'constructor', 'toString', 'hasOwnProperty'),
  fc.string({ maxLength: 4 }).filter((name) => name !== '__proto__'),
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, true, false, 0, 1, 2.5, '', 'x'),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(key, tie('json'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const world = fc.dictionary(key, json, { maxKeys: 4, noNullPrototype: true });

const base = () => ({ orders: { W1: { status: 'open', lines: [1, 2, 3] } }, 'a/b': { 'm~n': 1 } });

describe('applyPatch', () => {
  test('adds, replaces and removes, in objects and arrays, and leaves the world itself alone', () => {
    const before = base();
    const patched = applyPatch(before, [
      { op: 'replace', path: '/orders/W1/status', value: 'closed' },
      { op: 'add', path: '/orders/W1/lines/1', value: 9 },
      { op: 'add', path: '/orders/W1/lines/-', value: 8 },
      { op: 'remove', path: '/orders/W1/lines/0' },
      { op: 'replace', path: '/a~1b/m~0n', value: 2 },
      { op: 'add', path: '/orders/W2', value: {} },
    ]);
    expect(patched).toEqual({
      ok: true,
      world: { orders: { W1: { status: 'closed', lines: [9, 2, 3, 8] }, W2: {} }, 'a/b': { 'm~n': 2 } },
    });
    expect(before).toEqual(base());
  });

  test.each<[string, PatchOperation]>([
    ['replaces nothing that is not there', { op: 'replace', path: '/orders/W2', value: 1 }],
    ['removes nothing that is not there', { op: 'remove', path: '/orders/W1/lines/3' }],
    ['adds nothing beyond the end of an array', { op: 'add', path: '/orders/W1/lines/5', value: 1 }],
    ['adds nothing below what is not there', { op: 'add', path: '/none/x', value: 1 }],
    ['takes no place that is no index', { op: 'replace', path: '/orders/W1/lines/01', value: 1 }],
    ['goes through no inherited key', { op: 'replace', path: '/orders/constructor', value: 1 }],
    ['adds nothing below a prototype', { op: 'add', path: '/constructor/prototype/x', value: 1 }],
    ['follows no __proto__', { op: 'add', path: '/__proto__/polluted', value: 'yes' }],
    ['sets no prototype', { op: 'add', path: '/__proto__', value: { polluted: 'yes' } }],
    ['takes no value with a __proto__ in it', { op: 'add', path: '/x', value: JSON.parse('{"__proto__":{}}') }],
    ['takes no value of nothing', { op: 'add', path: '/x', value: undefined }],
    ['takes no pointer without a slash', { op: 'add', path: 'orders', value: 1 }],
    ['does not remove the world', { op: 'remove', path: '' }],
    ['makes no list of the world', { op: 'replace', path: '', value: [] }],
  ])('%s, and names the operation', (_title, operation) => {
    expect(applyPatch(base(), [operation])).toMatchObject({ ok: false, fault: expect.stringContaining('operation 0') });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('a value that is patched in is not shared with the patch', () => {
    const value = { list: [1] };
    const patched = applyPatch({}, [
      { op: 'add', path: '/x', value },
      { op: 'add', path: '/x/list/-', value: 2 },
    ]);
    expect(patched).toEqual({ ok: true, world: { x: { list: [1, 2] } } });
    expect(value).toEqual({ list: [1] });
  });
});

describe('diffJson', () => {
  test('applied to the one it leads to the other, for any two worlds', () => {
    fc.assert(
      fc.property(world, world, (before, after) => {
        const patch = diffJson(before, after);
        expect(patch.every((operation) => PatchOperation.safeParse(operation).success)).toBe(true);
        const patched = applyPatch(before, patch);
        expect(patched.ok && sameJson(patched.world, after)).toBe(true);
      }),
      propertyRuns(500),
    );
  });

  test('is empty exactly when the worlds are the same', () => {
    fc.assert(fc.property(world, world, (a, b) => (diffJson(a, b).length === 0) === sameJson(a, b)));
    expect(diffJson({ a: 1, b: 2 }, { b: 2, a: 1 })).toEqual([]);
  });

  test('an element that was put in front is one addition', () => {
    expect(diffJson({ list: ['b', 'c'] }, { list: ['a', 'b', 'c'] })).toEqual([
      { op: 'add', path: '/list/0', value: 'a' },
    ]);
  });
});

test('a pointer finds what stands there, and nothing inherited', () => {
  expect(valueAt(base(), '/orders/W1/lines/2')).toBe(3);
  expect(valueAt(base(), '/a~1b/m~0n')).toBe(1);
  expect(valueAt(base(), '/orders/toString')).toBeUndefined();
  expect(valueAt(base(), '/orders/W1/lines/9')).toBeUndefined();
});

test('values that are too deep, or that hold a __proto__, are faults', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(jsonFault(deep)).toContain('deep');
  expect(jsonFault(JSON.parse('{"a":[{"__proto__":1}]}'))).toContain('__proto__');
  expect(jsonFault({ a: [{ constructor: 1 }] })).toBeUndefined();
});
