/** JSON values as they come from files and generated code: what is refused, and when two are the same. */

export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Deep enough for any world; shallow enough that the recursive functions of this folder cannot overflow. */
const MAX_DEPTH = 64;

/** Why a value must not be worked on, or undefined. Walks with a stack of its own: the value may be hostile. */
export function jsonFault(value: unknown): string | undefined {
  const rest: [unknown, number][] = [[value, 0]];
  for (let item = rest.pop(); item !== undefined; item = rest.pop()) {
    const [node, depth] = item;
    if (typeof node !== 'object' || node === null) continue;
    if (depth >= MAX_DEPTH) return `it is nested more than ${MAX_DEPTH} levels deep`;
    if (Object.hasOwn(node, '__proto__')) return 'it has a key named "__proto__"';
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
