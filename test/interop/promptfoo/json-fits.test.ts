/** What of a foreign JSON Schema a checker cannot hold anybody to is named, whatever the file has in its place. */
import { expect, test } from 'vitest';
import { unknownKeyword } from '../../../src/interop/promptfoo/json-fits.ts';

test.each([
  [{ type: 'object', properties: { a: { pattern: '^x' } }, required: ['a'] }, undefined],
  [{ anyOf: [{ $ref: '#/$defs/a' }, true] }, undefined],
  [{ items: { contains: {} } }, 'contains'],
  [{ $ref: 'https://example.org/a' }, '$ref to https://example.org/a'],
  [{ $ref: { toString: [] } }, '$ref to {"toString":[]}'],
  [{ pattern: '(' }, 'the pattern ('],
  [{ allOf: 3 }, 'a schema that is no object'],
  [{ properties: null }, 'a schema that is no object'],
])('%j: %s', (schema, named) => {
  expect(unknownKeyword(schema)).toBe(named);
});
