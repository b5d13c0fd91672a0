import { expect, test } from 'vitest';
import { schemaFaults, validateJson } from '../../../src/scenario/json/json-schema.ts';

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
  expect(schemaFaults({ oneOf: [] })).toEqual([expect.stringContaining('/oneOf: "oneOf" is not supported')]);
  expect(schemaFaults({ properties: { a: { $ref: '#/x' } } })).toEqual([
    expect.stringContaining('/properties/a/$ref: "$ref" is not supported'),
  ]);
  expect(schemaFaults({ items: { pattern: '(?=x)' } })).toEqual([expect.stringContaining('/items/pattern')]);
  expect(schemaFaults({ type: 'text' })).toEqual([expect.stringContaining('/type: expected one of')]);
  expect(schemaFaults({ minimum: '1', required: 'a', properties: [], anyOf: [], items: 3 })).toHaveLength(5);
});

test('a schema without end, and a value without end, come to an end', () => {
  let schema: unknown = {};
  let value: unknown = 1;
  for (let level = 0; level < 5000; level += 1) {
    schema = { items: schema };
    value = [value];
  }
  expect(schemaFaults(schema)).toEqual([expect.stringContaining('nested too deeply')]);
  expect(validateJson(schema, value)).toEqual([]);
});

test('at most twenty faults are listed', () => {
  expect(validateJson({ items: { type: 'string' } }, Array.from({ length: 99 }).fill(1))).toHaveLength(20);
});
