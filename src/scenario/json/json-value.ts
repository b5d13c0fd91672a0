/** JSON values as they come from files and generated code: what is refused, and when two are the same. */

export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Deep enough for any world; shallow enough that the recursive functions of this folder cannot overflow. */
const MAX_DEPTH = 64;

/** Why a value must not be worked on, or undefined. */
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

/** Of a value that is passed on and not worked on. */
export const MOST_LEVELS = 200;

/** Why a value cannot be written as it came. Walks with its own stack: what hostile code or a model made must not overflow ours. */
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
