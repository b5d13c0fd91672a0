/** JSON values as they come from files and generated code: what is refused, and when two are the same. */

export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Deep enough for any world; shallow enough that the recursive functions of this folder cannot overflow. */
const MAX_DEPTH = 64;

/** Why a value must not be worked on, or undefined. */
export function jsonFault(value: unknown, depth = 0): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= MAX_DEPTH) return `it is nested more than ${MAX_DEPTH} levels deep`;
  if (Object.hasOwn(value, '__proto__')) return 'it has a key named "__proto__"';
  for (const key of Object.keys(value)) {
    const fault = jsonFault((value as JsonObject)[key], depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Same JSON: the order of keys does not count, the order of array elements does. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]));
}
