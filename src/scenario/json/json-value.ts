/** JSON values from files and generated code: which ones are refused, and when two of them are equal. */

export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The greatest depth: enough for any world, and too little to overflow the recursive functions of this folder. */
const MAX_DEPTH = 64;

/** Explains why a value must not be processed; undefined when it may be. */
export function jsonFault(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'it has a number that is too large for JSON';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= MAX_DEPTH) return `it is nested more than ${MAX_DEPTH} levels deep`;
  if (Object.hasOwn(value, '__proto__')) return 'it has a key named "__proto__"';
  for (const key of Object.keys(value)) {
    const fault = jsonFault((value as JsonObject)[key], depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The greatest depth of a value that is only passed on. */
export const MOST_LEVELS = 200;

/** Explains why a value cannot be written unchanged; its own stack protects it from hostile nesting. */
export function shapeFault(value: unknown): 'deep' | 'number' | undefined {
  const rest: [unknown, number][] = [[value, 0]];
  for (let item = rest.pop(); item !== undefined; item = rest.pop()) {
    const [node, depth] = item;
    if (typeof node === 'number' && !Number.isFinite(node)) return 'number';
    if (typeof node !== 'object' || node === null) continue;
    if (depth > MOST_LEVELS) return 'deep';
    for (const child of Object.values(node)) rest.push([child, depth + 1]);
  }
  return undefined;
}

/** Compares JSON values; the order of keys does not count, the order of array elements does. */
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
