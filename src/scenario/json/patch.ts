/** RFC 6902 patches between worlds: applies one, or finds the one that turns one world into another. */
import { isJsonObject, jsonFault, sameJson, type JsonObject } from './json-value.ts';
import type { PatchOperation } from '../sample.ts';

export type PatchResult = { ok: true; world: JsonObject } | { ok: false; fault: string };

/**
 * Applies a patch to a copy. Parts that no operation touches are shared with the original, which is safe because worlds
 * are never changed in place. A fault names the failed operation.
 */
export function applyPatch(world: JsonObject, patch: readonly PatchOperation[]): PatchResult {
  let root: unknown = world;
  const own = new WeakSet<object>();
  for (const [index, operation] of patch.entries()) {
    const tokens = parsePointer(operation.path);
    if (typeof tokens === 'string') return { ok: false, fault: `operation ${index}: ${tokens}` };
    if (tokens.length > 0) root = copyAlong(root, tokens.slice(0, -1), own);
    const fault = tokens.length === 0 ? rootFault(operation) : applyAt(root, tokens, operation);
    if (fault !== undefined)
      return { ok: false, fault: `operation ${index} (${operation.op} ${operation.path}): ${fault}` };
    if (tokens.length === 0 && operation.op !== 'remove') root = operation.value;
  }
  return { ok: true, world: root as JsonObject };
}

/** Copies each container on the way once, so that it belongs to this patch; stops where the way ends early. */
function copyAlong(node: unknown, tokens: readonly string[], own: WeakSet<object>): unknown {
  if (!isJsonObject(node) && !Array.isArray(node)) return node;
  const copy: Record<string, unknown> | unknown[] = own.has(node)
    ? node
    : Array.isArray(node)
      ? [...node]
      : { ...node };
  own.add(copy);
  const [token, ...rest] = tokens;
  if (token === undefined) return copy;
  if (Array.isArray(copy)) {
    const index = parseIndex(token);
    if (index !== undefined && index < copy.length) copy[index] = copyAlong(copy[index], rest, own);
  } else if (Object.hasOwn(copy, token)) copy[token] = copyAlong(copy[token], rest, own);
  return copy;
}

function rootFault(operation: PatchOperation): string | undefined {
  if (operation.op === 'remove') return 'the whole world cannot be removed';
  if (!isJsonObject(operation.value)) return 'a world must be an object';
  return jsonFault(operation.value);
}

/** Splits the path of an operation that `diffJson` made into its keys. */
export function splitPointer(path: string): string[] {
  const tokens = parsePointer(path);
  return typeof tokens === 'string' ? [] : tokens;
}

/** Joins keys to a JSON pointer. */
export function joinPointer(keys: readonly string[]): string {
  return keys.map((key) => `/${ESCAPED.test(key) ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key}`).join('');
}

/** Hardly any key has one of them, and a proof joins keys by the million. */
const ESCAPED = /[~/]/;

/** Decodes a JSON pointer into its keys, or explains what is wrong with it. */
function parsePointer(pointer: string): string[] | string {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return `"${pointer}" is no JSON pointer: it must begin with "/"`;
  const parts = pointer.slice(1).split('/');
  const tokens = pointer.includes('~') ? parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')) : parts;
  return tokens.includes('__proto__') ? 'a path must not contain "__proto__"' : tokens;
}

function applyAt(root: unknown, tokens: readonly string[], operation: PatchOperation): string | undefined {
  const last = tokens.at(-1) ?? '';
  const parent = findNode(root, tokens.slice(0, -1));
  if (operation.op !== 'remove') {
    if (operation.value === undefined) return 'it has no value';
    const fault = jsonFault(operation.value);
    if (fault !== undefined) return fault;
  }
  if (Array.isArray(parent)) return applyToArray(parent, last, operation);
  if (!isJsonObject(parent)) return 'nothing is there';
  if (operation.op !== 'add' && !Object.hasOwn(parent, last)) return 'nothing is there';
  if (operation.op === 'remove') delete parent[last];
  else parent[last] = operation.value;
  return undefined;
}

function applyToArray(array: unknown[], token: string, operation: PatchOperation): string | undefined {
  const index = operation.op === 'add' && token === '-' ? array.length : parseIndex(token);
  const limit = operation.op === 'add' ? array.length : array.length - 1;
  if (index === undefined || index > limit) return `the array has no place "${token}"`;
  if (operation.op === 'remove') array.splice(index, 1);
  else array.splice(index, operation.op === 'replace' ? 1 : 0, operation.value);
  return undefined;
}

function parseIndex(token: string): number | undefined {
  return /^(0|[1-9]\d{0,8})$/.test(token) ? Number(token) : undefined;
}

function findNode(root: unknown, tokens: readonly string[]): unknown {
  let node = root;
  for (const token of tokens) {
    if (Array.isArray(node)) node = node[parseIndex(token) ?? -1];
    else if (isJsonObject(node) && Object.hasOwn(node, token)) node = node[token];
    else return undefined;
  }
  return node;
}

/** Returns the value at a JSON pointer; undefined when there is none. */
export function valueAt(world: unknown, pointer: string): unknown {
  const tokens = parsePointer(pointer);
  return typeof tokens === 'string' ? undefined : findNode(world, tokens);
}

/** Finds the patch between two worlds: `applyPatch(before, diffJson(before, after))` equals `after`. */
export function diffJson(before: unknown, after: unknown): PatchOperation[] {
  const operations: PatchOperation[] = [];
  compareValues(before, after, { keys: [], operations });
  return operations;
}

/** The place that is compared, with the operations so far; a path is formatted only for a difference. */
type Comparison = { keys: string[]; operations: PatchOperation[] };

function compareValues(before: unknown, after: unknown, found: Comparison): void {
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after)) compareArrays(before, after, found);
  else if (isJsonObject(before) && isJsonObject(after)) compareObjects(before, after, found);
  else found.operations.push({ op: 'replace', path: joinPointer(found.keys), value: after });
}

function compareBelow(key: string, [before, after]: readonly [unknown, unknown], found: Comparison): void {
  found.keys.push(key);
  compareValues(before, after, found);
  found.keys.pop();
}

function compareObjects(before: JsonObject, after: JsonObject, found: Comparison): void {
  const at = (key: string): string => joinPointer([...found.keys, key]);
  for (const key of Object.keys(before))
    if (!Object.hasOwn(after, key)) found.operations.push({ op: 'remove', path: at(key) });
  for (const key of Object.keys(after)) {
    if (Object.hasOwn(before, key)) compareBelow(key, [before[key], after[key]], found);
    else found.operations.push({ op: 'add', path: at(key), value: after[key] });
  }
}

/** Keeps equal ends, changes the part between item by item, and then shortens or extends it at its end. */
function compareArrays(before: unknown[], after: unknown[], found: Comparison): void {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && sameJson(before[head], after[head])) head += 1;
  let tail = 0;
  while (tail < shorter - head && sameJson(before.at(-1 - tail), after.at(-1 - tail))) tail += 1;
  const at = (index: number): string => joinPointer([...found.keys, String(index)]);
  for (let index = head; index < shorter - tail; index += 1) {
    compareBelow(String(index), [before[index], after[index]], found);
  }
  for (let index = before.length - tail - 1; index >= shorter - tail; index -= 1) {
    found.operations.push({ op: 'remove', path: at(index) });
  }
  for (let index = shorter - tail; index < after.length - tail; index += 1) {
    found.operations.push({ op: 'add', path: at(index), value: after[index] });
  }
}
