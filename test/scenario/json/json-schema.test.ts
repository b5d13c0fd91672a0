import { expect, test } from 'vitest';
import { z } from 'zod';
import { schemaFaults, validateJson } from '../../../src/scenario/json/json-schema.ts';
import { threadCpu } from '../../support/thread-cpu.ts';

const SCHEMA = {
  type: 'object',
  required: ['orders'],
  additionalProperties: false,
  properties: {
    orders: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['total'],
        properties: {
          id: { type: 'string', pattern: '^W\\d+$' },
          total: { type: 'number', minimum: 0, maximum: 100 },
          status: { enum: ['open', 'closed'] },
          kind: { const: 'order' },
          lines: { type: 'array', minItems: 1, items: { type: 'integer' } },
          note: { type: ['string', 'null'], maxLength: 3 },
          to: { anyOf: [{ type: 'string' }, { type: 'object', required: ['iban'] }] },
        },
      },
    },
  },
};

const faultsOf = (order: unknown) => validateJson(SCHEMA, { orders: { W1: order } });

test('says nothing about a schema that can be honoured, or a value that fits it', () => {
  expect(schemaFaults(SCHEMA)).toEqual([]);
  const order = { id: 'W12', total: 1.5, status: 'open', kind: 'order', lines: [1], note: null, to: { iban: 'x' } };
  expect(faultsOf(order)).toEqual([]);
});

test.each<[string, unknown, string]>([
  ['a missing key', {}, '/orders/W1/total: it is missing'],
  ['another type', { total: '1' }, '/orders/W1/total: expected number, got "1"'],
  ['no integer', { total: 1, lines: [1.5] }, '/orders/W1/lines/0: expected integer'],
  ['a list for an object', [], '/orders/W1: expected object, got []'],
  ['too little', { total: -1 }, '/orders/W1/total: expected at least 0, got -1'],
  ['too much', { total: 101 }, '/orders/W1/total: expected at most 100'],
  ['another word', { total: 1, status: 'lost' }, '/orders/W1/status: expected one of "open", "closed", got "lost"'],
  ['another constant', { total: 1, kind: 'x' }, '/orders/W1/kind: expected "order"'],
  ['another text', { total: 1, id: 'X1' }, '/orders/W1/id: expected text that matches ^W\\d+$'],
  ['too few items', { total: 1, lines: [] }, '/orders/W1/lines: it is too short'],
  ['too long a text', { total: 1, note: 'long' }, '/orders/W1/note: it is too long'],
  ['no form of anyOf', { total: 1, to: {} }, '/orders/W1/to: fits none of the 2 forms'],
])('%s is named with its place', (_title, order, fault) => {
  expect(faultsOf(order)).toEqual([expect.stringContaining(fault)]);
});

test('an unknown key is named where none is allowed, also one that every object inherits', () => {
  expect(validateJson(SCHEMA, { orders: {}, other: 1 })).toEqual(['/other: this key is not known']);
  expect(validateJson(SCHEMA, { orders: {}, constructor: 1 })).toEqual(['/constructor: this key is not known']);
  expect(validateJson({ required: ['toString'] }, {})).toEqual(['/toString: it is missing']);
});

test('a keyword that is not checked is a fault, never passed over', () => {
  expect(schemaFaults({ requird: [] })).toEqual(['/requird: "requird" is not supported']);
  expect(schemaFaults({ properties: { a: { $dynamicRef: '#x' } } })).toEqual([
    '/properties/a/$dynamicRef: "$dynamicRef" is not supported',
  ]);
  expect(schemaFaults({ items: { pattern: '(?=x)' } })).toEqual([expect.stringContaining('/items/pattern')]);
  expect(schemaFaults({ type: 'text' })).toEqual([expect.stringContaining('/type: expected one of')]);
  expect(schemaFaults({ minimum: '1', required: 'a', properties: [], anyOf: [], items: 3 })).toHaveLength(5);
  expect(schemaFaults({ 'x-order': 1, format: 'made-up', examples: [1] })).toEqual([]);
});

test('a reference that leads nowhere in the schema is a fault, and nothing is fetched', () => {
  const lost = '/properties/a/$ref: it leads to no schema in this one';
  expect(schemaFaults({ properties: { a: { $ref: '#/$defs/b' } } })).toEqual([lost]);
  expect(schemaFaults({ properties: { a: { $ref: 'http://127.0.0.1:9/b.json' } } })).toEqual([lost]);
  expect(schemaFaults({ properties: { a: { $ref: '#b' } }, $defs: { b: { $anchor: 'b' } } })).toEqual([]);
});

test('a schema without end, and a value without end, come to an end', () => {
  let schema: unknown = {};
  let value: unknown = 1;
  for (let level = 0; level < 5000; level += 1) {
    schema = { items: schema };
    value = [value];
  }
  expect(schemaFaults(schema)).toEqual([expect.stringContaining('levels deep')]);
  expect(validateJson(schema, value)).toEqual([expect.stringContaining('its schema cannot be used')]);
  expect(validateJson({ items: { $ref: '#' } }, value)).toEqual([expect.stringContaining('it cannot be checked')]);
  expect(validateJson({ $ref: '#' }, value)).toEqual([expect.stringContaining('it cannot be checked')]);
});

test('a schema that is too large is refused', () => {
  expect(schemaFaults({ enum: Array.from({ length: 60_000 }, (_, index) => index) })).toEqual([
    expect.stringMatching(/^\/: the schema is too large: \d+ characters/),
  ]);
});

test('references that multiply each other, and patterns that would backtrack, end at once', () => {
  const twice = (to: string) => ({ allOf: [{ $ref: to }, { $ref: to }] });
  const steps = Array.from({ length: 40 }, (_, index) => [`a${index}`, twice(`#/$defs/a${index + 1}`)]);
  const wide = { $ref: '#/$defs/a0', $defs: { ...Object.fromEntries(steps), a40: {} } };
  const branch = { properties: { next: { $ref: '#' } } };
  const deep = Array.from({ length: 50 }).reduce<object>((next) => ({ next }), {});
  const cpu = threadCpu();
  expect(validateJson(wide, {})).toEqual(['/: it cannot be checked: its schema takes too many steps']);
  expect(validateJson({ allOf: [branch, branch] }, deep)).toEqual([expect.stringContaining('too many steps')]);
  expect(validateJson({ pattern: '^(a+)+$' }, `${'a'.repeat(5000)}!`)).toHaveLength(1);
  expect(schemaFaults({ patternProperties: { '^(a+)+$': true } })).toEqual([
    expect.stringContaining('/patternProperties/^(a+)+$: here a pattern may have no groups'),
  ]);
  expect(cpu()).toBeLessThan(5000);
});

test.each<[string, unknown, unknown, string]>([
  [
    'no form of oneOf',
    { oneOf: [{ type: 'string' }, { required: ['a'], type: 'object' }] },
    3,
    '/: fits none of the 2',
  ],
  ['two forms of oneOf', { oneOf: [{ type: 'number' }, { minimum: 1 }] }, 3, '/: fits 2 of the 2 forms'],
  [
    'a name',
    { propertyNames: { pattern: '^[a-z]+$' } },
    { 'Not Ok': 1 },
    '/Not Ok: expected text that matches ^[a-z]+$, got "Not Ok"',
  ],
  [
    'a place of a tuple',
    { prefixItems: [{ type: 'string' }, { type: 'number' }] },
    ['a', 'b'],
    '/1: expected number, got "b"',
  ],
  ['one item too many', { prefixItems: [true], items: false }, [1, 2], '/1: nothing is allowed here'],
  ['no multiple', { multipleOf: 0.01 }, 19.999, '/: expected a multiple of 0.01, got 19.999'],
  [
    'what another key asks for',
    { dependentRequired: { a: ['b'] } },
    { a: 1 },
    '/: Instance has "a" but does not have "b"',
  ],
  [
    'a key that no form knows',
    { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
    { b: 1 },
    '/b: this key is not known',
  ],
  [
    'a key by its pattern',
    { patternProperties: { '^x-': { type: 'string' } } },
    { 'x-a': 1 },
    '/x-a: expected string, got 1',
  ],
  [
    'what is ruled out',
    { properties: { a: { not: { type: 'null' } } } },
    { a: null },
    '/a: it has a form that is ruled out',
  ],
  ['behind a reference', { $ref: '#/$defs/a', $defs: { a: { items: { const: 1 } } } }, [1, 2], '/1: expected 1'],
  [
    'the form that is closest',
    { anyOf: [{ properties: { k: { const: 'a' }, n: { type: 'number' } } }, { properties: { k: { const: 'b' } } }] },
    { k: 'c', n: 'x' },
    '(closest: /k: expected "b")',
  ],
])('%s is named with its place too', (_title, schema, value, fault) => {
  expect(schemaFaults(schema)).toEqual([]);
  expect(validateJson(schema, value)).toEqual([expect.stringContaining(fault)]);
});

test('a key with a slash, and one that is no text, have a place', () => {
  expect(validateJson({ additionalProperties: { type: 'number' } }, { 'a/b~c': 'x' })).toEqual([
    '/a~1b~0c: expected number, got "x"',
  ]);
  expect(validateJson({ additionalProperties: { type: 'number' } }, { '\ud800': 'x' })).toHaveLength(1);
});

test('of the keys of patternProperties only those are taken that the language itself matches in no time', () => {
  const isTaken = (pattern: string) => schemaFaults({ patternProperties: { [pattern]: true } }).length === 0;
  const plain = ['^x-', 'f.o', '^[a-z]+$', '^.*bar$', '^\\p{L}{1,30}_', '^\\d{4}$', '^S_', ''];
  expect(plain.filter((pattern) => !isTaken(pattern))).toEqual([]);
  const free = ['(a)', 'a|b', 'a*', '.*.*x', '^a*b*$', '^[a-z]+-[a-z]+$', '^a+?b', '\\1', '^a{2}{3}$', 'a^'];
  expect(free.filter(isTaken)).toEqual([]);
});

test('what zod emits is honoured', () => {
  const Node = z.object({
    name: z.string().regex(/^[a-z]+$/),
    get children() {
      return z.array(Node).max(3);
    },
  });
  const schema = z.toJSONSchema(
    z.object({
      id: z.uuid(),
      mail: z.email().optional(),
      host: z.hostname().optional(),
      on: z.iso.date(),
      cents: z.int().multipleOf(5),
      pair: z.tuple([z.string(), z.number()]),
      by: z.record(z.string().regex(/^C\d+$/), z.number()),
      kind: z.discriminatedUnion('type', [
        z.object({ type: z.literal('card'), last4: z.string().length(4) }),
        z.strictObject({ type: z.literal('cash') }),
      ]),
      tree: Node,
    }),
  );
  const value = {
    ...{ id: '123e4567-e89b-42d3-a456-426614174000', mail: 'ann@example.org', host: 'example.org', on: '2026-11-22' },
    ...{ cents: 15, pair: ['a', 1], by: { C1: 1 }, kind: { type: 'card', last4: '4242' } },
    tree: { name: 'a', children: [{ name: 'b', children: [] }] },
  };
  expect(schemaFaults(schema)).toEqual([]);
  expect(validateJson(schema, value)).toEqual([]);
  expect(validateJson(schema, { ...value, mail: 'a..b@example.org', cents: 16, by: { D1: 1 } })).toEqual([
    expect.stringContaining('/mail: expected text that matches'),
    expect.stringContaining('/cents: expected a multiple of 5'),
    expect.stringContaining('/by/D1: expected text that matches ^C\\d+$'),
  ]);
  const wrong = { ...value, tree: { name: 'a', children: [{ name: 'B', children: [] }] }, kind: { type: 'card' } };
  expect(validateJson(schema, wrong)).toEqual([
    expect.stringContaining('closest: /kind/last4: it is missing'),
    expect.stringContaining('/tree/children/0/name: expected text'),
  ]);
});

test('what a server of the Model Context Protocol lists is honoured', () => {
  const tool = {
    name: 'search_orders',
    inputSchema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      title: 'search_ordersArguments',
      properties: {
        filter: { anyOf: [{ $ref: '#/$defs/Filter' }, { type: 'null' }], default: null },
        sort: {
          oneOf: [
            { const: 'asc', title: 'Up' },
            { const: 'desc', title: 'Down' },
          ],
        },
        url: { type: 'string', format: 'uri' },
        tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
        env: {
          type: 'object',
          propertyNames: { type: 'string', minLength: 2 },
          additionalProperties: { type: 'string' },
        },
        page: { type: 'integer', exclusiveMinimum: 0, maximum: 9007199254740991 },
      },
      required: ['filter'],
      additionalProperties: false,
      $defs: {
        Filter: {
          type: 'object',
          properties: { field: { type: 'string' }, and: { type: 'array', items: { $ref: '#/$defs/Filter' } } },
          required: ['field'],
        },
      },
    },
  };
  expect(schemaFaults(tool.inputSchema)).toEqual([]);
  const input = { filter: { field: 'total', and: [{ field: 'state' }] }, sort: 'asc', tags: ['a', 'b'], page: 1 };
  expect(validateJson(tool.inputSchema, input)).toEqual([]);
  expect(
    validateJson(tool.inputSchema, { filter: { field: 'a', and: [{}] }, tags: ['a', 'a'], env: { a: 'b' } }),
  ).toEqual([
    expect.stringContaining('/filter: fits none of the 2 forms'),
    expect.stringMatching(/^\/tags: .*indexes 0 and 1/),
    expect.stringContaining('/env/a: it is too short'),
  ]);
});

test('at most twenty faults are listed', () => {
  expect(validateJson({ items: { type: 'string' } }, Array.from({ length: 99 }).fill(1))).toHaveLength(20);
});
