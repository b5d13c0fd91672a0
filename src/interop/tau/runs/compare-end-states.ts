/** Whether two diffs from the same start lead to the same end, and where they part. */
import { sameJson } from '../../../scenario/json/json-value.ts';
import type { PatchOperation } from '../../../scenario/sample.ts';

/**
 * One line for each place where the ends differ; none means the same end. Both diffs are taken from one start, so the same
 * end is the same operations; only the order among different places is free. The order inside a list counts.
 */
export function endDifferences(wanted: readonly PatchOperation[], got: readonly PatchOperation[]): string[] {
  const [one, other] = [byPath(wanted), byPath(got)];
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((path) => !sameJson(one.get(path), other.get(path)))
    .map((path) => `${path}: expected ${changeText(one.get(path))}, got ${changeText(other.get(path))}`);
}

function byPath(diff: readonly PatchOperation[]): Map<string, PatchOperation[]> {
  const places = new Map<string, PatchOperation[]>();
  for (const operation of diff) {
    const there = places.get(operation.path);
    if (there === undefined) places.set(operation.path, [operation]);
    else there.push(operation);
  }
  return places;
}

function changeText(operations: readonly PatchOperation[] | undefined): string {
  if (operations === undefined) return 'no change';
  const text = operations.map((one) => (one.op === 'remove' ? 'removed' : JSON.stringify(one.value))).join(', then ');
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}
