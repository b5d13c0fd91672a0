/** Finds what a world's JSON Schema says of the places that a pointer names. */
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { splitPointer } from '../json/patch.ts';

/** `undefined` where the schema says nothing of the place, which forbids nothing. */
export type PlaceSchema = { ok: true; schema: JsonObject | undefined } | { ok: false; fault: string };

/** Follows a pointer whose keys may be `*` or names in braces; a fault is the rest of a sentence. */
export function findPlaceSchema(world: JsonObject, pointer: string): PlaceSchema {
  let schema: JsonObject | undefined = world;
  for (const key of splitPointer(pointer)) {
    if (schema === undefined) return { ok: true, schema };
    const next = findMember(schema, key);
    if (!next.ok) return next;
    ({ schema } = next);
  }
  return { ok: true, schema };
}

/** The schema of the entries of a list or a map. */
export function findEntrySchema(schema: JsonObject | undefined): JsonObject | undefined {
  return toSchema(schema?.items ?? schema?.additionalProperties);
}

/** A list, or a map whose keys the schema leaves open; a record with named fields is neither. */
export function isContainer(schema: JsonObject): boolean {
  const types = listTypes(schema);
  return types.includes('array') || (types.includes('object') && !isJsonObject(schema.properties));
}

export function listTypes({ type }: JsonObject): string[] {
  return [type].flat().filter((one): one is string => typeof one === 'string');
}

/** Checks a constant against the types and values that the schema of a place allows. */
export function canHold(schema: JsonObject | undefined, value: unknown): boolean {
  if (schema === undefined) return true;
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  if ('const' in schema) return schema.const === value;
  const types = listTypes(schema);
  return types.length === 0 || types.some((type) => TYPE_TESTS[type]?.(value) ?? true);
}

const TYPE_TESTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isJsonObject,
};

function findMember(schema: JsonObject, key: string): PlaceSchema {
  const types = listTypes(schema);
  const isAny = key === '*' || /^\{\w+\}$/.test(key);
  if (types.includes('array')) {
    return isAny || /^\d+$/.test(key)
      ? { ok: true, schema: toSchema(schema.items) }
      : { ok: false, fault: `is a list, whose entries have numbers or *, and not ${key}` };
  }
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const named = Object.keys(properties);
  if (!isAny && Object.hasOwn(properties, key)) return { ok: true, schema: toSchema(properties[key]) };
  const { additionalProperties: rest } = schema;
  if (isJsonObject(rest)) return { ok: true, schema: rest };
  if (types.length > 0 && !types.includes('object')) return { ok: false, fault: `is a single value and has no ${key}` };
  if (named.length === 0 || (isAny && rest !== false)) return { ok: true, schema: undefined };
  if (isAny && key === '*') return { ok: true, schema: undefined };
  return { ok: false, fault: `has no ${key}; it has ${named.join(', ')}` };
}

function toSchema(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
