/** Joins the pieces of a streamed JSON value, whatever fields a vendor has added to it. */
import { isJsonObject } from '../../scenario/json/json-value.ts';

/**
 * Texts grow; within a list those that are the same in every piece do not, such as a type or an id. Elements of lists belong
 * together by their `index`; those without one follow each other.
 */
export function joinDeltas(pieces: readonly unknown[], depth = 0): unknown {
  const values = pieces.filter((piece) => piece !== undefined && piece !== null && piece !== '');
  if (values.length <= 1) return values[0] ?? pieces.findLast((piece) => piece !== undefined);
  if (values.every((value) => typeof value === 'string'))
    return depth > 1 && values.every((value) => value === values[0]) ? values[0] : values.join('');
  if (values.every(isJsonObject)) return joinObjects(values, depth + 1);
  if (!values.every(Array.isArray)) return values.at(-1);
  const groups = Map.groupBy(values.flat(), (item: unknown) => (isJsonObject(item) ? (item['index'] ?? item) : item));
  return [...groups.values()].map((items) => joinDeltas(items, depth + 1));
}

function joinObjects(values: readonly Record<string, unknown>[], depth: number): Record<string, unknown> {
  const keys = new Set(values.flatMap((value) => Object.keys(value)));
  return Object.fromEntries(
    [...keys].map((key) => [
      key,
      joinDeltas(
        values.map((value) => value[key]),
        depth,
      ),
    ]),
  );
}
