/** Finds the parts of the case table that no sample reaches: rules, pairs of values, and both sides of boundaries. */
import { z } from 'zod';
import { intersectAll, subtractAll, type Box } from './boxes.ts';
import {
  toCellMask,
  toFullMask,
  keepPossible,
  restrictToApplies,
  type CaseTable,
  type TableAttribute,
} from './case-table.ts';
import { formatCell, type Case } from './format-cases.ts';

const Tally = z.strictObject({ reached: z.int().nonnegative(), total: z.int().nonnegative() });

/** The part of `verification` that lists in words what is not reached; long lists are cut. */
export const CaseCoverage = z.strictObject({
  /** The samples in whose cases a rule applies, by rule. */
  rules: z.record(z.string(), z.array(z.string())),
  pairs: Tally,
  missingPairs: z.array(z.string()),
  boundaries: Tally,
  missingBoundaries: z.array(z.string()),
});
export type CaseCoverage = z.infer<typeof CaseCoverage>;

export type SampleCase = { sample: string; known: Case };

const MOST_LISTED = 60;

export function coverCases(table: CaseTable, samples: readonly SampleCase[]): CaseCoverage {
  const reached = samples.map(({ sample, known }) => ({ sample, box: toCaseBox(known, table.attributes) }));
  const meets = createMatcher(table.attributes.map(toFullMask));
  const pairs = listPairs(table).map((pair) => ({
    ...pair,
    isReached: reached.some(({ box }) => meets(box, pair.box)),
  }));
  const sides = listBoundarySides(table).map((side) => ({
    text: `${side.attribute.label}: ${side.value}`,
    isReached: samples.some(({ known }) => known[side.attribute.name] === side.value),
  }));
  const missing = (all: readonly { text: string; isReached: boolean }[]) =>
    all.filter(({ isReached }) => !isReached).map(({ text }) => text);
  const tally = (all: readonly { isReached: boolean }[]) => ({
    reached: all.filter(({ isReached }) => isReached).length,
    total: all.length,
  });
  const ids = [...new Set(table.lines.map(({ rule }) => rule))];
  return {
    rules: Object.fromEntries(ids.map((id) => [id, findReachingSamples(id, table, reached)])),
    pairs: tally(pairs),
    missingPairs: missing(pairs).slice(0, MOST_LISTED),
    boundaries: tally(sides),
    missingBoundaries: missing(sides).slice(0, MOST_LISTED),
  };
}

function findReachingSamples(
  id: string,
  { attributes, lines }: CaseTable,
  reached: readonly { sample: string; box: Box }[],
): string[] {
  const meets = createMatcher(attributes.map(toFullMask));
  const boxes = lines.filter(({ rule }) => rule === id).flatMap((line) => line.boxes);
  return reached.filter(({ box }) => boxes.some((own) => meets(box, own))).map(({ sample }) => sample);
}

/** Turns a case into a box; an attribute that the sample lacks is in no cell. */
function toCaseBox(known: Case, attributes: readonly TableAttribute[]): Box {
  return attributes.map((attribute) => {
    const value = known[attribute.name];
    return value === undefined ? 0 : toCellMask(attribute, value);
  });
}

/** Matches a known case with a box; an attribute that the case lacks matches only an unrestricted side of the box. */
function createMatcher(full: Box): (known: Box, wanted: Box) => boolean {
  return (known, wanted) =>
    known.every((cells, index) => wanted[index] === full[index] || (cells & (wanted[index] ?? 0)) !== 0);
}

/** Lists pairs of values of two attributes that some rules read together; other pairs cannot interact. */
function listPairs(table: CaseTable): { text: string; box: Box }[] {
  const { attributes } = table;
  const full = attributes.map(toFullMask);
  return listJointAttributes(table).flatMap(([one, other]) => {
    const [first, second] = [attributes[one], attributes[other]];
    if (first === undefined || second === undefined) return [];
    return first.cells.flatMap((cell, i) =>
      second.cells.flatMap((counterpart, j) => {
        const box = full.with(one, 1 << i).with(other, 1 << j);
        if (!canMeet(box, [one, other], table)) return [];
        return [{ box, text: `${first.label}: ${formatCell(cell)}, ${second.label}: ${formatCell(counterpart)}` }];
      }),
    );
  });
}

/** Lists pairs of attributes that decide the same outcome, in one rule or in two. */
function listJointAttributes({ attributes, outcomes, lines }: CaseTable): [number, number][] {
  const groups = outcomes.map(({ name }) => {
    const boxes = lines.filter(({ demands }) => demands[name] !== undefined).flatMap((line) => line.boxes);
    return attributes.map((attribute, index) => boxes.some((box) => box[index] !== toFullMask(attribute)));
  });
  return attributes.flatMap((_, one) =>
    attributes.flatMap((__, other): [number, number][] =>
      one < other && groups.some((read) => read[one] === true && read[other] === true) ? [[one, other]] : [],
    ),
  );
}

/**
 * Checks that both values can occur in one case in which some rules read them: those of a refund never meet those of an
 * exchange. Where a stronger rule decides, weaker rules count as reading nothing.
 */
function canMeet(box: Box, pair: readonly [number, number], table: CaseTable): boolean {
  const { attributes, outcomes, lines } = table;
  const places = keepPossible(restrictToApplies(box, attributes), table);
  const full = attributes.map(toFullMask);
  const opened = (own: Box): Box => pair.reduce<Box>((wide, place) => wide.with(place, full[place] ?? 0), own);
  return outcomes.some(({ name }) => {
    const demanding = lines.filter(({ demands }) => demands[name] !== undefined);
    const reading = pair.map((place) =>
      demanding.flatMap((line) => {
        const read = line.boxes.filter((own) => own[place] !== full[place]).map(opened);
        const stronger = demanding.filter((other) => table.before.get(other.rule)?.has(line.rule) === true);
        return subtractAll(
          intersectAll(read, [box]),
          stronger.flatMap(({ boxes }) => boxes),
        );
      }),
    );
    const [one = [], other = []] = reading;
    return intersectAll(places, intersectAll(one, other)).length > 0;
  });
}

/** Lists the numbers on both sides of each boundary between two cells. */
function listBoundarySides(table: CaseTable): { attribute: TableAttribute; value: number }[] {
  const full = table.attributes.map(toFullMask);
  return table.attributes.flatMap((attribute, place) => {
    if (!attribute.isRange) return [];
    return attribute.cells.slice(1).flatMap(({ from }, index) =>
      [index, index + 1].flatMap((cell) => {
        const isPossible =
          keepPossible(restrictToApplies(full.with(place, 1 << cell), table.attributes), table).length > 0;
        return isPossible ? [{ attribute, value: cell === index ? Number(from) - 1 : Number(from) }] : [];
      }),
    );
  });
}
