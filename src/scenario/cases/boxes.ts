/** Sets of cases as boxes: the cells of each attribute as bits, so that sets are exact without listing every case. */
import { createConfigError } from '../../errors.ts';

export type Box = readonly number[];

/** The most pieces that are cut; a table with more is too large to be searched completely. */
const MOST_PIECES = 20_000;

export function intersectBoxes(one: Box, other: Box): Box | undefined {
  const both = one.map((cells, index) => cells & (other[index] ?? 0));
  return both.includes(0) ? undefined : both;
}

export function intersectAll(some: readonly Box[], others: readonly Box[]): Box[] {
  return some.flatMap((one) => others.map((other) => intersectBoxes(one, other)).filter((both) => both !== undefined));
}

/** Subtracts `holes` from `boxes`; the pieces do not overlap where the boxes did not. */
export function subtractAll(boxes: readonly Box[], holes: readonly Box[]): Box[] {
  let left = [...boxes];
  for (const hole of holes) {
    left = left.flatMap((box) => subtractBox(box, hole));
    if (left.length > MOST_PIECES) {
      throw createConfigError(
        'The case table is too large to be searched completely: use fewer attributes or values, or coarser ranges.',
      );
    }
  }
  return left;
}

function subtractBox(box: Box, hole: Box): Box[] {
  if (intersectBoxes(box, hole) === undefined) return [box];
  const pieces: Box[] = [];
  const rest = [...box];
  for (const [index, cells] of box.entries()) {
    const outside = cells & ~(hole[index] ?? 0);
    if (outside !== 0) pieces.push(rest.with(index, outside));
    rest[index] = cells & (hole[index] ?? 0);
  }
  return pieces;
}

export function containsBoxes(outer: readonly Box[], inner: readonly Box[]): boolean {
  return subtractAll(inner, outer).length === 0;
}

/** Grows the box within `limit` without meeting `holes`, so that it can be described in the fewest words. */
export function widenBox(box: Box, limit: Box, holes: readonly Box[]): Box {
  let wide = box;
  for (const [index, most] of limit.entries()) {
    for (let cell = 1; cell <= most; cell *= 2) {
      if ((most & cell) === 0 || ((wide[index] ?? 0) & cell) !== 0) continue;
      const wider = wide.with(index, (wide[index] ?? 0) | cell);
      if (holes.every((hole) => intersectBoxes(wider, hole) === undefined)) wide = wider;
    }
  }
  return wide;
}
