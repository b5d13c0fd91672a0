import { expect, test } from 'vitest';
import { canHold, findEntrySchema, findPlaceSchema, isContainer } from '../../../src/scenario/cases/schema-places.ts';
import { LENDING_WORLD_SCHEMA } from './lending.ts';

const find = (pointer: string) => findPlaceSchema(LENDING_WORLD_SCHEMA, pointer);

test('a pointer is followed through records, maps and lists', () => {
  expect(find('/loans/{loan}/state')).toMatchObject({ ok: true, schema: { enum: ['out', 'back'] } });
  expect(find('/charges/0/cents')).toMatchObject({ ok: true, schema: { type: 'integer' } });
  expect(find('/charges/*/cents')).toMatchObject({ ok: true, schema: { type: 'integer' } });
});

test('a place that the schema does not have is a fault that names what there is', () => {
  expect(find('/loan/{loan}')).toEqual({ ok: false, fault: 'has no loan; it has members, loans, charges, notes' });
  expect(find('/charges/late')).toMatchObject({ ok: false, fault: expect.stringContaining('is a list') });
  expect(find('/loans/{loan}/state/x')).toMatchObject({ ok: false, fault: expect.stringContaining('single value') });
});

test('a schema that leaves a place open forbids nothing', () => {
  expect(findPlaceSchema({ type: 'object' }, '/anything/at/all')).toEqual({ ok: true, schema: undefined });
});

test('lists and maps hold entries, records do not', () => {
  const { loans, charges } = LENDING_WORLD_SCHEMA.properties;
  expect([isContainer(loans), isContainer(charges), isContainer(loans.additionalProperties)]).toEqual([true, true, false]);
  expect(findEntrySchema(charges)).toBe(charges.items);
});

test('a constant must fit the type and the listed values', () => {
  expect([canHold({ enum: ['a'] }, 'a'), canHold({ enum: ['a'] }, 'b')]).toEqual([true, false]);
  expect([canHold({ type: ['string', 'null'] }, null), canHold({ type: 'integer' }, '1')]).toEqual([true, false]);
  expect(canHold(undefined, 'anything')).toBe(true);
});
