/** Gold worlds made slightly wrong: a check that accepts one of them does not look closely enough. */
import { isJsonObject, sameJson, type JsonObject } from '../../scenario/json/json-value.ts';
import { applyPatch, diffJson, pathOfKeys } from '../../scenario/json/patch.ts';
import type { PatchOperation } from '../../scenario/sample.ts';

const MAX_MUTANTS = 6;

/** Each lacks one change of the gold path, or has one changed leaf; none is an end that the sample accepts. */
export function mutantsOf(before: JsonObject, gold: JsonObject, accepted: readonly JsonObject[]): JsonObject[] {
  const patch = diffJson(before, gold);
  const lacking = patch.map((_, dropped) => applyPatch(before, patch.toSpliced(dropped, 1)));
  const touched = patch.flatMap((one) => (one.op === 'remove' ? [] : leafOf(one.value, one.path)));
  const leaves = touched.length > 0 ? touched : leafOf(gold, '');
  const changed = leaves.map((operation) => applyPatch(gold, [operation]));
  return [...interleave(lacking, changed)]
    .flatMap((mutant) => (mutant.ok ? [mutant.world] : []))
    .filter((world) => ![gold, ...accepted].some((end) => sameJson(end, world)))
    .slice(0, MAX_MUTANTS);
}

/** Alternates, so that the first few are of both kinds. */
function interleave<T>(first: readonly T[], second: readonly T[]): T[] {
  return Array.from({ length: Math.max(first.length, second.length) }).flatMap((_, index) =>
    [first[index], second[index]].filter((item) => item !== undefined),
  );
}

/** Replaces the first leaf below a place with another value of the same type. */
function leafOf(value: unknown, path: string): PatchOperation[] {
  if (typeof value === 'number') return [{ op: 'replace', path, value: value + 1 }];
  if (typeof value === 'string') return [{ op: 'replace', path, value: `${value}-changed` }];
  if (typeof value === 'boolean') return [{ op: 'replace', path, value: !value }];
  if (!isJsonObject(value) && !Array.isArray(value)) return [];
  for (const [key, child] of Object.entries(value)) {
    const found = leafOf(child, path + pathOfKeys([key]));
    if (found.length > 0) return found;
  }
  return [];
}
