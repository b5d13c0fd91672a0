/** Builds the searchable table of a design: attributes cut into cells, conditions as boxes, and precedence of rules. */
import { omitUndefined } from '../../omit-undefined.ts';
import { intersectAll, subtractAll, type Box } from './boxes.ts';
import { listConditions, listRuleLines, longAttribute, longOutcome, parseRange, toArray } from './cases.ts';
import type { CaseRule, Cases, CaseValue, Condition, Derivation, RuleDemands, When } from './cases.ts';

/** A single value, or the whole numbers between two boundaries of the rules. */
export type Cell = { from: CaseValue; to: CaseValue };

export type TableAttribute = {
  name: string;
  label: string;
  cells: readonly Cell[];
  isRange: boolean;
  usual?: CaseValue;
  from?: Derivation;
  /** The cases that have the attribute; missing where all do. */
  applies?: readonly Box[];
};

export type TableOutcome = { name: string; label: string; needed: readonly Box[] };

/** One `when` with its `demands` of a rule. */
export type TableLine = { rule: string; boxes: readonly Box[]; demands: RuleDemands };

export type CaseTable = {
  attributes: readonly TableAttribute[];
  outcomes: readonly TableOutcome[];
  lines: readonly TableLine[];
  impossible: readonly Box[];
  /** The rules over which each rule takes precedence, directly or through others. */
  before: ReadonlyMap<string, ReadonlySet<string>>;
  /** Rules that demand no outcome, which code cannot check. */
  unread: readonly string[];
};

export function buildTable(cases: Cases, rules: readonly CaseRule[]): CaseTable {
  const conditions = allConditions(cases, rules);
  const plain = Object.entries(cases.attributes).map(([name, short]): TableAttribute => {
    const { values, means, usual, from } = longAttribute(short);
    const isRange = typeof values === 'string';
    const cells = isRange
      ? splitIntoCells(values, valuesFor(name, conditions))
      : values.map((one) => ({ from: one, to: one }));
    return { name, label: means ?? toSpacedName(name), cells, isRange, ...omitUndefined({ usual, from }) };
  });
  const attributes = withDependencies(
    plain.map((attribute): TableAttribute => {
      const { when } = longAttribute(cases.attributes[attribute.name] ?? []);
      return when === undefined ? attribute : { ...attribute, applies: toBoxes(when, plain) };
    }),
  );
  const boxes = (when: When) => toBoxes(when, attributes);
  return {
    attributes,
    outcomes: Object.entries(cases.outcomes).map(([name, short]) => {
      const { means, when = 'all' } = longOutcome(short);
      return { name, label: means ?? toSpacedName(name), needed: boxes(when) };
    }),
    lines: rules.flatMap((rule) =>
      listRuleLines(rule).map(({ when, demands }) => ({
        rule: rule.id,
        boxes: toRuleBoxes(when, attributes),
        demands,
      })),
    ),
    impossible: cases.impossible.flatMap(boxes),
    before: closeTransitively(new Map(rules.map(({ id, over = [] }) => [id, new Set(over)]))),
    unread: rules
      .filter((rule) => listRuleLines(rule).every(({ demands }) => Object.keys(demands).length === 0))
      .map(({ id }) => id),
  };
}

/** Adds indirect conditions: if only bookings have cargo, and only cargo has a notice, only bookings have one. */
function withDependencies(attributes: readonly TableAttribute[]): TableAttribute[] {
  const appliesOf = (attribute: TableAttribute, above: readonly TableAttribute[]): readonly Box[] | undefined =>
    attribute.applies?.flatMap((box) =>
      attributes.reduce<Box[]>(
        (boxes, other, index) => {
          const isFree = other === attribute || above.includes(other) || box[index] === toFullMask(other);
          const applies = isFree ? undefined : appliesOf(other, [...above, attribute]);
          return applies === undefined ? boxes : intersectAll(boxes, applies);
        },
        [box],
      ),
    );
  return attributes.map((attribute) => ({ ...attribute, ...omitUndefined({ applies: appliesOf(attribute, []) }) }));
}

export function toBoxes(when: When, attributes: readonly TableAttribute[]): Box[] {
  return (when === 'all' ? [{}] : listConditions(when)).map((condition) => toBox(condition, attributes));
}

/** Limits a condition on an attribute to cases that have it, even where the condition names all its values. */
function toRuleBoxes(when: When, attributes: readonly TableAttribute[]): Box[] {
  if (when === 'all') return toBoxes(when, attributes);
  return listConditions(when).flatMap((condition) =>
    attributes.reduce<Box[]>(
      (boxes, { name, applies }) =>
        applies === undefined || condition[name] === undefined ? boxes : intersectAll(boxes, applies),
      toBoxes(condition, attributes),
    ),
  );
}

/** Limits a box to the cases that have every attribute that it restricts. */
export function restrictToApplies(box: Box, attributes: readonly TableAttribute[]): Box[] {
  return attributes.reduce<Box[]>(
    (boxes, attribute, index) =>
      attribute.applies === undefined || box[index] === toFullMask(attribute)
        ? boxes
        : intersectAll(boxes, attribute.applies),
    [box],
  );
}

function toBox(condition: Condition, attributes: readonly TableAttribute[]): Box {
  return attributes.map((attribute) => {
    const wanted = condition[attribute.name];
    if (wanted === undefined) return toFullMask(attribute);
    return toArray(wanted).reduce<number>((cells, value) => cells | toCellMask(attribute, value), 0);
  });
}

export function toFullMask({ cells }: Pick<TableAttribute, 'cells'>): number {
  return 2 ** cells.length - 1;
}

/** Returns the cells that a value or a range names, as bits. */
export function toCellMask({ cells, isRange }: TableAttribute, value: CaseValue): number {
  const range = isRange ? parseRange(value) : undefined;
  return cells.reduce((bits, cell, index) => {
    const isIn =
      range === undefined ? cell.from === value : Number(cell.from) <= range.to && Number(cell.to) >= range.from;
    return isIn ? bits | (1 << index) : bits;
  }, 0);
}

/** Removes the cases that cannot occur. */
export function keepPossible(boxes: readonly Box[], { impossible }: CaseTable): Box[] {
  return subtractAll(boxes, impossible);
}

export function toSpacedName(name: string): string {
  return name.replaceAll('_', ' ');
}

function allConditions(
  { attributes, outcomes, impossible, frames = [] }: Cases,
  rules: readonly CaseRule[],
): Condition[] {
  const saying = [
    ...rules.flatMap(listRuleLines),
    ...Object.values(outcomes).map(longOutcome),
    ...Object.values(attributes).map(longAttribute),
    ...frames,
  ];
  return [...saying.flatMap(({ when = 'all' }) => listConditions(when)), ...impossible];
}

function valuesFor(name: string, conditions: readonly Condition[]): CaseValue[] {
  return conditions.flatMap((condition) => toArray(condition[name] ?? []));
}

/** Splits a range at the boundaries of the rules, between which all numbers are treated alike. */
function splitIntoCells(domain: string, values: readonly CaseValue[]): Cell[] {
  const { from, to } = parseRange(domain) ?? { from: 0, to: 0 };
  const cuts = values.flatMap((value) => {
    const range = parseRange(value);
    return range === undefined ? [] : [range.from, range.to + 1];
  });
  const starts = [...new Set([from, ...cuts.filter((cut) => cut > from && cut <= to)])].toSorted((a, b) => a - b);
  return starts.map((start, index) => ({ from: start, to: (starts[index + 1] ?? to + 1) - 1 }));
}

function closeTransitively(over: ReadonlyMap<string, ReadonlySet<string>>): Map<string, Set<string>> {
  const reach = (id: string, seen: Set<string>): Set<string> => {
    for (const next of over.get(id) ?? []) if (!seen.has(next)) reach(next, seen.add(next));
    return seen;
  };
  return new Map([...over.keys()].map((id) => [id, reach(id, new Set())]));
}
