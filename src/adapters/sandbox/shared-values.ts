/** Large values that many questions share travel once to each host: afterwards they are named, and only what is other in them is told. */
import { createHash } from 'node:crypto';
import type { Arguments, LargeArgument } from '../../ports/sandbox.ts';
import { isJsonObject, type JsonObject } from '../../scenario/json/json-value.ts';
import { applyPatch, diffJson, keysOf, pathOfKeys } from '../../scenario/json/patch.ts';
import type { PatchOperation } from '../../scenario/sample.ts';
import { LARGE_WORLD_CHARS, MAX_WORLD_BYTES } from '../../scenario/world-limits.ts';
import type { Edit, ValueSlot } from './cached-values.mts';
import { emptied } from './shared-texts.ts';

/** A value as a host keeps it. */
export type CachedValue = { name: string; text: string };

/** `null` stands in `args` wherever a kept value is wanted. */
export type TrialSchedulerOptions = { args: readonly unknown[]; keeps: CachedValue[]; places: ValueSlot[] };

export type ArgumentSharer = (given: Arguments) => TrialSchedulerOptions | { fault: string };

/** Remembers the text of each base as long as somebody has the base. */
export function createArgumentSharer(): ArgumentSharer {
  const texts = new WeakMap<object, CachedValue | 'small'>();
  const keptOf = (base: JsonObject): CachedValue | 'small' => {
    const known = texts.get(base);
    if (known !== undefined) return known;
    const text = JSON.stringify(base);
    const isSmall = text.length < LARGE_WORLD_CHARS;
    const made = isSmall ? 'small' : { name: createHash('sha256').update(text).digest('hex').slice(0, 32), text };
    texts.set(base, made);
    return made;
  };
  return (given) => {
    if (!('shared' in given)) return { args: given, keeps: [], places: [] };
    let { args } = given;
    const keeps = new Map<string, CachedValue>();
    const places: ValueSlot[] = [];
    for (const { at, base } of given.shared) {
      const kept = keptOf(base);
      if (kept === 'small') continue;
      if (kept.text.length > MAX_WORLD_BYTES)
        return { fault: `a world has ${kept.text.length} characters; at most ${MAX_WORLD_BYTES} are sent` };
      places.push([[...at], kept.name, diffJson(base, valueAtKeys(args, at)).map(editOf)]);
      args = emptied(args, at) as readonly unknown[];
      keeps.set(kept.name, kept);
    }
    return { args, keeps: [...keeps.values()], places };
  };
}

function valueAtKeys(args: unknown, keys: LargeArgument['at']): unknown {
  let node = args;
  for (const key of keys) node = (node as Record<string, unknown>)[key];
  return node;
}

function editOf(operation: PatchOperation): Edit {
  const keys = keysOf(operation.path);
  return operation.op === 'remove' ? ['remove', keys] : [operation.op, keys, operation.value];
}

/** The arguments as a host says they were left; `left` is empty when only shared ones were changed, or none. */
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
    const operations = Array.isArray(made) ? made.map(operationOf) : [undefined];
    const world = typeof slot === 'number' && slots.has(slot) ? given[slot] : undefined;
    if (!isJsonObject(world) || operations.includes(undefined)) return { fault: 'its edits do not have their shape' };
    const patched = applyPatch(world, operations as PatchOperation[]);
    if (!patched.ok) return { fault: patched.fault };
    args[slot as number] = patched.world;
  }
  return { args };
}

function operationOf(edit: unknown): PatchOperation | undefined {
  const [op, keys, value] = Array.isArray(edit) ? (edit as unknown[]) : [];
  if (!Array.isArray(keys) || !keys.every((key) => typeof key === 'string')) return undefined;
  const path = pathOfKeys(keys);
  if (op === 'remove') return { op, path };
  return op === 'add' || op === 'replace' ? { op, path, value } : undefined;
}
