/** The meta-schema: the supported keywords of JSON Schema 2020-12 and their values, checked by the same validator. */
import type { JsonObject } from './json-value.ts';

const splitNames = (list: string): string[] => list.split(' ');
const ONE_SCHEMA = splitNames('items contains additionalProperties propertyNames not if then else').concat(
  splitNames('unevaluatedItems unevaluatedProperties'),
);
const SCHEMA_LISTS = splitNames('allOf anyOf oneOf prefixItems');
const SCHEMA_MAPS = splitNames('properties patternProperties dependentSchemas $defs definitions');
const NUMBERS = splitNames('minimum maximum exclusiveMinimum exclusiveMaximum');
const COUNTS = splitNames('minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains');
const TEXTS = splitNames('pattern $ref $id $anchor');
/** Keywords for readers, which check nothing; so is every keyword that begins with `x-`. */
const ANNOTATIONS = splitNames(
  'title description default examples format deprecated readOnly writeOnly $comment $schema',
).concat(splitNames('contentEncoding contentMediaType contentSchema'));

/** Returns where the schemas within a keyword are. */
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

export const META_SCHEMA: JsonObject = {
  type: ['object', 'boolean'],
  properties: {
    ...mapToSchema(ONE_SCHEMA, SCHEMA),
    ...mapToSchema(SCHEMA_LISTS, { type: 'array', minItems: 1, items: SCHEMA }),
    ...mapToSchema(SCHEMA_MAPS, { type: 'object', additionalProperties: SCHEMA }),
    ...mapToSchema(NUMBERS, { type: 'number' }),
    ...mapToSchema(COUNTS, { type: 'integer', minimum: 0 }),
    ...mapToSchema(TEXTS, { type: 'string' }),
    ...mapToSchema(ANNOTATIONS, true),
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

function mapToSchema(list: readonly string[], schema: JsonObject | true): JsonObject {
  return Object.fromEntries(list.map((word) => [word, schema]));
}
