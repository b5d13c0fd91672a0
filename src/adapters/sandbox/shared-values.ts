/** Sends large values that many questions share once to each host; later questions carry only their names and edits. */
import { sha256 } from '../../disk/sha256.ts';
import type { CallArguments, LargeArgument } from '../../ports/sandbox.ts';
import { isJsonObject, type JsonObject } from '../../scenario/json/json-value.ts';
import { applyPatch, diffJson, splitPointer, joinPointer } from '../../scenario/json/patch.ts';
import type { PatchOperation } from '../../scenario/sample.ts';
import { LARGE_WORLD_CHARS, MAX_WORLD_BYTES } from '../../scenario/world-limits.ts';
import { followPath, type Edit, type ValueSlot } from './cached-values.mts';
import { KEPT_CHARS } from './limits.ts';
import { clearPath } from './shared-texts.ts';

/** A value that a host caches. */
export type CachedValue = { name: string; text: string };

/** `args` contains `null` at each of `places`. */
type PackedArguments = { args: readonly unknown[]; keeps: CachedValue[]; places: ValueSlot[] };

export type ArgumentSharer = (given: CallArguments) => PackedArguments | { fault: string };

/** Caches the text of each base as long as the base is in use. */
export function createArgumentSharer(): ArgumentSharer {
  const texts = new WeakMap<object, CachedValue | 'small'>();
  const cachedValueOf = (base: JsonObject): CachedValue | 'small' => {
    const known = texts.get(base);
    if (known !== undefined) return known;
    const text = JSON.stringify(base);
    const isSmall = text.length < LARGE_WORLD_CHARS;
    const made = isSmall ? 'small' : { name: sha256(text).slice(0, 32), text };
    texts.set(base, made);
    return made;
  };
  return (given) => {
    if (!('shared' in given)) return { args: given, keeps: [], places: [] };
    let { args } = given;
    const keeps = new Map<string, CachedValue>();
    const places: ValueSlot[] = [];
    for (const { at: keys, base } of given.shared) {
      const cached = cachedValueOf(base);
      if (cached === 'small') continue;
      if (cached.text.length > MAX_WORLD_BYTES)
        return { fault: `a world has ${cached.text.length} characters; at most ${MAX_WORLD_BYTES} are sent` };
      places.push([[...keys], cached.name, diffJson(base, followPath(args, keys, keys.length)).map(toEdit)]);
      args = clearPath(args, keys) as readonly unknown[];
      keeps.set(cached.name, cached);
    }
    return { args, keeps: [...keeps.values()], places };
  };
}

function toEdit(operation: PatchOperation): Edit {
  const keys = splitPointer(operation.path);
  return operation.op === 'remove' ? ['remove', keys] : [operation.op, keys, operation.value];
}

/** Returns the arguments as the host left them; `left` is empty when only shared ones were changed, or none. */
export function withEdits(
  { args: given, shared }: { args: readonly unknown[]; shared: readonly LargeArgument[] },
  left: readonly unknown[],
  edits: unknown,
): { args: unknown[] } | { fault: string } {
  const slots = new Set(shared.map(({ at }) => Number(at[0])));
  const args =
    left.length === 0 ? [...given] : left.map((arg, slot) => (slots.has(slot) && arg === null ? given[slot] : arg));
  if (!Array.isArray(edits)) return { fault: 'its edits are no list' };
  for (const one of edits as unknown[]) {
    const [slot, made] = Array.isArray(one) ? (one as unknown[]) : [];
    const operations = Array.isArray(made) ? made.map(toOperation) : [undefined];
    const world = typeof slot === 'number' && slots.has(slot) ? given[slot] : undefined;
    if (!isJsonObject(world) || operations.includes(undefined)) return { fault: 'its edits do not have their shape' };
    const patched = applyPatch(world, operations as PatchOperation[]);
    if (!patched.ok) return { fault: patched.fault };
    args[slot as number] = patched.world;
  }
  return { args };
}

function toOperation(edit: unknown): PatchOperation | undefined {
  const [op, keys, value] = Array.isArray(edit) ? (edit as unknown[]) : [];
  if (!Array.isArray(keys) || !keys.every((key) => typeof key === 'string')) return undefined;
  const path = joinPointer(keys);
  if (op === 'remove') return { op, path };
  return op === 'add' || op === 'replace' ? { op, path, value } : undefined;
}

/** Tracks the values that one host has: each is sent once, and the oldest are dropped when there are too many. */
export type ValueCache = {
  /** Returns the values to send before a question; `drop` names those that the host must forget first. */
  put: (wanted: readonly CachedValue[]) => (CachedValue & { drop: string[] })[];
};

export function createValueCache(): ValueCache {
  const chars = new Map<string, number>();
  const total = (): number => [...chars.values()].reduce((sum, one) => sum + one, 0);
  return {
    put(wanted) {
      const names = new Set(wanted.map(({ name }) => name));
      const missing = wanted.filter(({ name }) => !chars.has(name));
      // Re-inserts used values, so that the last used is dropped last.
      for (const { name, text } of wanted) {
        chars.delete(name);
        chars.set(name, text.length);
      }
      return missing.map((value) => {
        const drop: string[] = [];
        for (const name of [...chars.keys()]) {
          if (total() <= KEPT_CHARS) break;
          if (!names.has(name) && chars.delete(name)) drop.push(name);
        }
        return { ...value, drop };
      });
    },
  };
}
