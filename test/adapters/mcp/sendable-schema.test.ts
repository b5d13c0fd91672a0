/** Schemas as servers write them: brought to what the Messages API takes, without losing what they say. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { restoreNames, toSendableSchema } from '../../../src/adapters/mcp/sendable-schema.ts';
import { offerTools } from '../../../src/adapters/mcp/offered-tools.ts';
import { BASE, post, TESTER, withSimulator } from '../simulated/wire.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const read = (schema: unknown) => {
  const found = toSendableSchema(schema);
  if ('fault' in found) throw new Error(found.fault);
  return found;
};
const property = (schema: unknown) =>
  (read({ type: 'object', properties: { a: schema } }).schema['properties'] as { a: unknown }).a;
const string = { type: 'string' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

test.each([
  ['a boolean limit', { type: 'number', minimum: 3, exclusiveMinimum: true }, { type: 'number', exclusiveMinimum: 3 }],
  ['a limit that is none', { maximum: 3, exclusiveMaximum: false }, { maximum: 3 }],
  ['a limit of nothing', { exclusiveMaximum: true }, {}],
  ['a limit as the draft has it', { exclusiveMinimum: 3 }, { exclusiveMinimum: 3 }],
  ['no items', { type: 'array', items: [] }, { type: 'array' }],
  ['items by place', { items: [string], additionalItems: false }, { prefixItems: [string], items: false }],
  ['any', { type: 'any', description: 'x' }, { description: 'x' }],
  ['any among others', { type: ['string', 'any'] }, {}],
  ['types of other languages', { type: ['STRING', 'int'] }, { type: ['string', 'integer'] }],
  ['twice the same', { type: ['string', 'string'] }, { type: ['string'] }],
  [
    'a property that is required',
    object({ b: { ...string, required: true } }),
    object({ b: string }, { required: ['b'] }),
  ],
  ['one that is not', object({ b: { ...string, required: false } }), object({ b: string })],
  ['an empty map in PHP', { type: 'object', properties: [] }, { type: 'object', properties: {} }],
  ['an example alone', { examples: 'x' }, { examples: ['x'] }],
  ['texts that are none', { description: null, title: 3 }, {}],
  ['another draft', { $schema: 'http://json-schema.org/draft-04/schema#', ...string }, string],
  ['a choice below the top', { anyOf: [string, { type: 'any' }] }, { anyOf: [string, {}] }],
])('%s', (_, given, wanted) => {
  expect(property(given)).toEqual(wanted);
});

test.each([
  [{ type: 'array' }, 'its input schema is not of an object'],
  ['no schema', 'its input schema is not of an object'],
  [object({ a: { type: 'file' } }), '/properties/a has the type "file"'],
  [object({ a: 'string' }), '/properties/a is no schema'],
  [object({ a: { anyOf: [] } }), '/properties/a/anyOf is no list of schemas'],
  [{ $ref: '#/$defs/gone' }, 'its reference #/$defs/gone leads nowhere'],
  [{ $ref: '#' }, 'its reference # leads nowhere'],
  [
    { anyOf: [{ $ref: '#/$defs/a' }], $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } } },
    'its forms refer to themselves',
  ],
])('%j cannot be offered, and its fault is named', (schema, fault) => {
  expect(toSendableSchema(schema)).toEqual({ fault });
});

describe('names of properties', () => {
  const names = ['$filter', 'filter[name]', 'x'.repeat(70), 'имя', 'plain'];

  test('are replaced where the API refuses them, and given back in the call', () => {
    const inner = object({ $top: { type: 'integer' } }, { required: ['$top'] });
    const { schema, names: map } = read(
      object(Object.fromEntries(names.map((name) => [name, string])), {
        required: ['$filter', 'plain'],
        $defs: { page: inner },
        additionalProperties: { $ref: '#/$defs/page/properties/$top' },
      }),
    );
    const sent = Object.keys(schema['properties'] as object);
    expect(sent).toHaveLength(5);
    for (const name of sent) expect(name).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
    expect(sent).toContain('plain');
    expect(schema['required']).toEqual([sent[0], 'plain']);
    expect((schema['properties'] as Record<string, unknown>)[sent[0] ?? '']).toMatchObject({
      description: 'The server calls it "$filter".',
    });
    const page = (schema['$defs'] as { page: { properties: object; required: string[] } }).page;
    expect(page.required).toEqual(Object.keys(page.properties));
    expect(schema['additionalProperties']).toEqual({ $ref: `#/$defs/page/properties/${page.required[0]}` });
    const input = { ...Object.fromEntries(sent.map((name) => [name, name])), list: [{ [page.required[0] ?? '']: 3 }] };
    expect(restoreNames(input, map)).toEqual({
      ...Object.fromEntries(names.map((name, place) => [name, sent[place]])),
      list: [{ $top: 3 }],
    });
  });
});

describe('a choice at the top', () => {
  test('becomes an object with the properties of all, and the forms are said', () => {
    const { schema, forms } = read({
      anyOf: [object({ id: string, deep: string }, { required: ['id'] }), { $ref: '#/$defs/byName' }],
      $defs: { byName: object({ name: string, id: { type: 'integer' } }, { required: ['name', 'id'] }) },
    });
    expect(schema).toMatchObject({
      type: 'object',
      required: ['id'],
      properties: { id: { anyOf: [string, { type: 'integer' }] }, deep: string, name: string },
    });
    expect(forms).toBe('Its input has at least one of these forms: { id, deep? } or { name, id }.');
  });

  test('of what is required alone keeps the properties beside it', () => {
    const { schema, forms } = read({
      ...object({ a: string, b: string }),
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    });
    expect(schema).toEqual({ type: 'object', properties: { a: string, b: string } });
    expect(forms).toBe('Its input has exactly one of these forms: { a } or { b }.');
  });

  test('allOf is all of them, and a reference at the top is what it names', () => {
    const schema = {
      $ref: '#/$defs/in',
      $defs: { in: { allOf: [object({ a: string }, { required: ['a'] }), object({ b: string })] } },
    };
    expect(read(schema).schema).toMatchObject({ properties: { a: string, b: string }, required: ['a'] });
    expect(read(schema).forms).toBe('');
  });
});

test('whatever a server writes is taken by the API or left out by name, and one tool takes no other away', async () => {
  const word = fc.constantFrom(
    ...[
      'type',
      'required',
      'items',
      'properties',
      'anyOf',
      'oneOf',
      'exclusiveMinimum',
      'minimum',
      'enum',
      'minLength',
    ],
    ...['description', '$ref', 'additionalProperties', 'examples', 'uniqueItems', 'prefixItems', '$defs', 'title'],
  );
  const { schema } = fc.letrec<{ schema: unknown; value: unknown }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<unknown>({}, { type: 'string' }, { type: 'any' }, { type: 'object' }, true, null, 'string'),
      fc.dictionary(word, tie('value'), { maxKeys: 4 }),
    ),
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>('object', 'any', 'array', true, false, 3, -1, null, [], ['a', 'a'], '#/$defs/$a', '#'),
      tie('schema'),
      fc.array(tie('schema'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('$a', 'b[c]', 'd', 'x'.repeat(70)), tie('schema'), { maxKeys: 3 }),
    ),
  }));
  await withSimulator({ scripts: [TESTER] }, async (simulator) => {
    await fc.assert(
      fc.asyncProperty(fc.array(schema, { maxLength: 5 }), async (schemas) => {
        const good = { name: 'good', inputSchema: object({}) };
        const offered = offerTools('s', [good, ...schemas.map((inputSchema, at) => ({ name: `t${at}`, inputSchema }))]);
        expect(offered.definitions[0]?.name).toBe('mcp__s__good');
        expect(offered.definitions.length + offered.problems.length).toBe(schemas.length + 1);
        const got = await post(simulator, { ...BASE, tools: offered.definitions });
        expect(got.record?.refusal).toBeUndefined();
      }),
      propertyRuns(600),
    );
  });
});
