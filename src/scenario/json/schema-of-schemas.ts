/** Which words of JSON Schema 2020-12 are checked, and their allowed values: itself a schema, so that one validator does. */
import type { JsonObject } from './json-value.ts';

const words = (list: string): string[] => list.split(' ');
const ONE_SCHEMA = words('items contains additionalProperties propertyNames not if then else').concat(
  words('unevaluatedItems unevaluatedProperties'),
);
const SCHEMA_LISTS = words('allOf anyOf oneOf prefixItems');
const SCHEMA_MAPS = words('properties patternProperties dependentSchemas $defs definitions');
const NUMBERS = words('minimum maximum exclusiveMinimum exclusiveMaximum');
const COUNTS = words('minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains');
const TEXTS = words('pattern $ref $id $anchor');
/** Words for readers; they promise nothing. So does every word that begins with `x-`. */
const ANNOTATIONS = words(
  'title description default examples format deprecated readOnly writeOnly $comment $schema',
).concat(words('contentEncoding contentMediaType contentSchema'));

/** Where the schemas inside of a schema are. */
export function childShape(word: string): 'one' | 'list' | 'map' | undefined {
  if (ONE_SCHEMA.includes(word)) return 'one';
  if (SCHEMA_LISTS.includes(word)) return 'list';
  return SCHEMA_MAPS.includes(word) ? 'map' : undefined;
}

export function isAnnotation(word: string): boolean {
  return ANNOTATIONS.includes(word) || word.startsWith('x-');
}

const SCHEMA = { $ref: '#' };
const NAMES = { type: 'array', items: { type: 'string' } };
const TYPE = { enum: ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] };

export const SCHEMA_OF_SCHEMAS: JsonObject = {
  type: ['object', 'boolean'],
  properties: {
    ...each(ONE_SCHEMA, SCHEMA),
    ...each(SCHEMA_LISTS, { type: 'array', minItems: 1, items: SCHEMA }),
    ...each(SCHEMA_MAPS, { type: 'object', additionalProperties: SCHEMA }),
    ...each(NUMBERS, { type: 'number' }),
    ...each(COUNTS, { type: 'integer', minimum: 0 }),
    ...each(TEXTS, { type: 'string' }),
    ...each(ANNOTATIONS, true),
    type: { anyOf: [TYPE, { type: 'array', minItems: 1, items: TYPE }] },
    const: true,
    enum: { type: 'array', minItems: 1 },
    multipleOf: { type: 'number', exclusiveMinimum: 0 },
    uniqueItems: { type: 'boolean' },
    required: NAMES,
    dependentRequired: { type: 'object', additionalProperties: NAMES },
  },
  patternProperties: { '^x-': true },
  additionalProperties: false,
};

function each(list: readonly string[], schema: JsonObject | true): JsonObject {
  return Object.fromEntries(list.map((word) => [word, schema]));
}
