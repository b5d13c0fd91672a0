/** The table of a design, ready for searching: attributes cut into cells, conditions as boxes, and who goes before whom. */
import { omitUndefined } from '../../omit-undefined.ts';
import { intersectAll, subtractAll, type Box } from './boxes.ts';
import {
  linesOf,
  conditionsOf,
  listOf,
  longAttribute,
  longOutcome,
  rangeOf,
  type Cases,
  type CaseRule,
  type CaseValue,
  type Condition,
  type Derivation,
  type RuleDemands,
  type When,
} from './cases.ts';

/** A value, or the whole numbers between two boundaries of the rules. */
export type Cell = { from: CaseValue; to: CaseValue };

export type TableAttribute = {
  name: string;
  label: string;
  cells: readonly Cell[];
  isRange: boolean;
  usual?: CaseValue;
  from?: Derivation;
  /** The cases that have it; missing where all do. */
  applies?: readonly Box[];
};

export type TableOutcome = { name: string; label: string; needed: readonly Box[] };

/** One `when` and `demands` of a rule. */
export type TableLine = { rule: string; boxes: readonly Box[]; demands: RuleDemands };

export type CaseTable = {
  attributes: readonly TableAttribute[];
  outcomes: readonly TableOutcome[];
  lines: readonly TableLine[];
  impossible: readonly Box[];
  /** Rule -> the rules that it goes before, also by way of others. */
  before: ReadonlyMap<string, ReadonlySet<string>>;
  /** Rules that demand no outcome: code cannot check them. */
  unread: readonly string[];
};

export function buildTable(cases: Cases, rules: readonly CaseRule[]): CaseTable {
  const conditions = allConditions(cases, rules);
  const plain = Object.entries(cases.attributes).map(([name, short]): TableAttribute => {
    const { values, means, usual, from } = longAttribute(short);
    const isRange = typeof values === 'string';
    const cells = isRange
      ? cellsOf(values, valuesFor(name, conditions))
      : values.map((one) => ({ from: one, to: one }));
    return { name, label: means ?? spaced(name), cells, isRange, ...omitUndefined({ usual, from }) };
  });
  const attributes = withWhatTheyDependOn(
    plain.map((attribute): TableAttribute => {
      const { when } = longAttribute(cases.attributes[attribute.name] ?? []);
      return when === undefined ? attribute : { ...attribute, applies: boxesOf(when, plain) };
    }),
  );
  const boxes = (when: When) => boxesOf(when, attributes);
  return {
    attributes,
    outcomes: Object.entries(cases.outcomes).map(([name, short]) => {
      const { means, when = 'all' } = longOutcome(short);
      return { name, label: means ?? spaced(name), needed: boxes(when) };
    }),
    lines: rules.flatMap((rule) =>
      linesOf(rule).map(({ when, demands }) => ({
        rule: rule.id,
        boxes: ruleBoxes(when, attributes),
        demands,
      })),
    ),
    impossible: cases.impossible.flatMap(boxes),
    before: transitive(new Map(rules.map(({ id, over = [] }) => [id, new Set(over)]))),
    unread: rules
      .filter((rule) => linesOf(rule).every(({ demands }) => Object.keys(demands).length === 0))
      .map(({ id }) => id),
  };
}

/** Where the cargo is that of a booking, and the notice that of a dangerous cargo, only bookings have a notice. */
function withWhatTheyDependOn(attributes: readonly TableAttribute[]): TableAttribute[] {
  const appliesOf = (attribute: TableAttribute, above: readonly TableAttribute[]): readonly Box[] | undefined =>
    attribute.applies?.flatMap((box) =>
      attributes.reduce<Box[]>(
        (boxes, other, index) => {
          const isFree = other === attribute || above.includes(other) || box[index] === fullOf(other);
          const applies = isFree ? undefined : appliesOf(other, [...above, attribute]);
          return applies === undefined ? boxes : intersectAll(boxes, applies);
        },
        [box],
      ),
    );
  return attributes.map((attribute) => ({ ...attribute, ...omitUndefined({ applies: appliesOf(attribute, []) }) }));
}

export function boxesOf(when: When, attributes: readonly TableAttribute[]): Box[] {
  return (when === 'all' ? [{}] : conditionsOf(when)).map((condition) => boxOf(condition, attributes));
}

/** A condition on an attribute speaks of no case that does not have it, even where it names all its values. */
function ruleBoxes(when: When, attributes: readonly TableAttribute[]): Box[] {
  if (when === 'all') return boxesOf(when, attributes);
  return conditionsOf(when).flatMap((condition) =>
    attributes.reduce<Box[]>(
      (boxes, { name, applies }) =>
        applies === undefined || condition[name] === undefined ? boxes : intersectAll(boxes, applies),
      boxesOf(condition, attributes),
    ),
  );
}

/** The part of a box in whose cases the attributes are that it names values of. */
export function whereItApplies(box: Box, attributes: readonly TableAttribute[]): Box[] {
  return attributes.reduce<Box[]>(
    (boxes, attribute, index) =>
      attribute.applies === undefined || box[index] === fullOf(attribute)
        ? boxes
        : intersectAll(boxes, attribute.applies),
    [box],
  );
}

function boxOf(condition: Condition, attributes: readonly TableAttribute[]): Box {
  return attributes.map((attribute) => {
    const wanted = condition[attribute.name];
    if (wanted === undefined) return fullOf(attribute);
    return listOf(wanted).reduce<number>((cells, value) => cells | cellBits(attribute, value), 0);
  });
}

export function fullOf({ cells }: Pick<TableAttribute, 'cells'>): number {
  return 2 ** cells.length - 1;
}

/** The cells that a value or a range of a condition names. */
export function cellBits({ cells, isRange }: TableAttribute, value: CaseValue): number {
  const range = isRange ? rangeOf(value) : undefined;
  return cells.reduce((bits, cell, index) => {
    const isIn =
      range === undefined ? cell.from === value : Number(cell.from) <= range.to && Number(cell.to) >= range.from;
    return isIn ? bits | (1 << index) : bits;
  }, 0);
}

/** The cases that can occur. */
export function possible(boxes: readonly Box[], { impossible }: CaseTable): Box[] {
  return subtractAll(boxes, impossible);
}

export function spaced(name: string): string {
  return name.replaceAll('_', ' ');
}

function allConditions({ attributes, outcomes, impossible }: Cases, rules: readonly CaseRule[]): Condition[] {
  const ofRules = rules.flatMap(linesOf).flatMap(({ when }) => conditionsOf(when));
  const ofOutcomes = Object.values(outcomes).flatMap((outcome) => conditionsOf(longOutcome(outcome).when ?? 'all'));
  const ofAttributes = Object.values(attributes).flatMap((one) => conditionsOf(longAttribute(one).when ?? 'all'));
  return [...ofRules, ...ofOutcomes, ...ofAttributes, ...impossible];
}

function valuesFor(name: string, conditions: readonly Condition[]): CaseValue[] {
  return conditions.flatMap((condition) => listOf(condition[name] ?? []));
}

/** Between two boundaries of the rules all numbers are alike. */
function cellsOf(domain: string, values: readonly CaseValue[]): Cell[] {
  const { from, to } = rangeOf(domain) ?? { from: 0, to: 0 };
  const cuts = values.flatMap((value) => {
    const range = rangeOf(value);
    return range === undefined ? [] : [range.from, range.to + 1];
  });
  const starts = [...new Set([from, ...cuts.filter((cut) => cut > from && cut <= to)])].toSorted((a, b) => a - b);
  return starts.map((start, index) => ({ from: start, to: (starts[index + 1] ?? to + 1) - 1 }));
}

function transitive(over: ReadonlyMap<string, ReadonlySet<string>>): Map<string, Set<string>> {
  const reach = (id: string, seen: Set<string>): Set<string> => {
    for (const next of over.get(id) ?? []) if (!seen.has(next)) reach(next, seen.add(next));
    return seen;
  };
  return new Map([...over.keys()].map((id) => [id, reach(id, new Set())]));
}
