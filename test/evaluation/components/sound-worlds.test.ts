/** The memory of worlds that fit says of every world what the check itself says. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { worldFaults } from '../../../src/evaluation/components/call-tool.ts';
import { validateJson } from '../../../src/scenario/json/json-schema.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const schemas = [
  { type: 'object', properties: { stock: { type: 'integer', minimum: 0 } }, required: ['stock'] },
  { type: 'object', properties: { stock: { type: 'string' } }, additionalProperties: false },
] as const;
const worlds = fc.dictionary(
  fc.constantFrom('stock', 'open'),
  fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom('1', '')),
);

test('whatever was checked before, under this schema or another one', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...schemas), worlds), { maxLength: 20 }), (checks) => {
      for (const [schema, world] of checks) expect(worldFaults(schema, world)).toEqual(validateJson(schema, world));
    }),
    propertyRuns(60),
  );
});

test('more worlds than it remembers, and one too large to remember, are checked all the same', () => {
  const [schema] = schemas;
  for (let stock = 0; stock < 1100; stock += 1) expect(worldFaults(schema, { stock })).toEqual([]);
  expect(worldFaults(schema, { stock: 3 })).toEqual([]);
  const large = { stock: 1, note: 'x'.repeat(30_000) };
  expect([worldFaults(schema, large), worldFaults(schema, large)]).toEqual([[], []]);
  expect(worldFaults(schema, { ...large, stock: -1 })).not.toEqual([]);
});
