/** Formats cases, conditions and demands for people who do not read tables. */
import {
  keepPossible,
  toFullMask,
  toSpacedName,
  type CaseTable,
  type Cell,
  type TableAttribute,
  type TableOutcome,
} from './case-table.ts';
import { listConditions, toArray, parseRange, type CaseValue, type RuleDemands, type When } from './cases.ts';
import { intersectAll, subtractAll, type Box } from './boxes.ts';

/** One concrete case, as the value of each attribute. */
export type Case = Record<string, CaseValue>;

/**
 * Picks a case of the box: the usual value if the box has it, else the number next to a boundary of the rules. An attribute
 * that no case of the box has is left out.
 */
export function pickExample(box: Box, { attributes }: CaseTable): Case {
  return Object.fromEntries(
    attributes.flatMap((attribute, index) => {
      const { applies } = attribute;
      if (applies !== undefined && intersectAll([box], applies).length === 0) return [];
      return [[attribute.name, exampleValue(attribute, box[index] ?? 0)]];
    }),
  );
}

function exampleValue({ cells, usual }: TableAttribute, bits: number): CaseValue {
  const inside = cells.filter((_, index) => (bits & (1 << index)) !== 0);
  if (usual !== undefined && inside.some((cell) => isInCell(cell, usual))) return usual;
  const [cell = { from: 0, to: 0 }] = inside;
  return cell === cells[0] ? cell.to : cell.from;
}

export function isInCell({ from, to }: Cell, value: CaseValue): boolean {
  return from === value || (typeof value === 'number' && Number(from) <= value && value <= Number(to));
}

/** Formats the restrictions of a box: `reason: damaged or wrong item, paid with: gift card`. */
export function formatBox(box: Box, table: CaseTable): string {
  const parts = listParts(box, table).map(({ label, cells }) => `${label}: ${cells}`);
  return parts.length === 0 ? 'any case' : parts.join(', ');
}

/** Begins a sentence about the cases of a box: `When “reason” is damaged and “paid with” is gift card,`. */
export function beginCaseSentence(box: Box, table: CaseTable): string {
  const parts = listParts(box, table).map(({ label, cells }) => `“${label}” is ${cells}`);
  return parts.length === 0 ? 'In any case' : `When ${parts.join(' and ')},`;
}

function listParts(box: Box, { attributes }: CaseTable): { label: string; cells: string }[] {
  return attributes.flatMap((attribute, index) => {
    const bits = box[index] ?? 0;
    if (bits === toFullMask(attribute)) return [];
    return [{ label: attribute.label, cells: formatCells(attribute.cells, bits) }];
  });
}

/** Formats cells; neighbouring parts of a range are joined. */
function formatCells(cells: readonly Cell[], bits: number): string {
  const inside = cells.filter((_, index) => (bits & (1 << index)) !== 0);
  const joined = inside.reduce<Cell[]>((all, cell) => {
    const last = all.at(-1);
    const meets = typeof last?.to === 'number' && typeof cell.from === 'number' && last.to + 1 === cell.from;
    return meets ? [...all.slice(0, -1), { from: last.from, to: cell.to }] : [...all, cell];
  }, []);
  return joined.map(formatCell).join(' or ');
}

export function formatCell({ from, to }: Cell): string {
  return from === to ? valueText(from) : `${from} to ${to}`;
}

/** Formats a case with all attributes that it has. */
export function formatCase(example: Case, { attributes }: CaseTable): string {
  return attributes
    .flatMap(({ name, label }) => (example[name] === undefined ? [] : [`${label}: ${valueText(example[name])}`]))
    .join(', ');
}

export function whenText(when: When, { attributes }: Pick<CaseTable, 'attributes'>): string {
  if (when === 'all') return 'every case';
  return listConditions(when)
    .map((condition) => fieldsText(condition, attributes))
    .join('; or ');
}

export function demandsText(demands: RuleDemands, { outcomes }: Pick<CaseTable, 'outcomes'>): string {
  return fieldsText(demands, outcomes);
}

function fieldsText(fields: RuleDemands, named: readonly { name: string; label: string }[]): string {
  const labels = new Map(named.map(({ name, label }) => [name, label]));
  return Object.entries(fields)
    .map(([name, value]) => `${labels.get(name) ?? toSpacedName(name)}: ${valuesText(value)}`)
    .join(', ');
}

export function valuesText(values: CaseValue | CaseValue[]): string {
  return toArray(values).map(valueText).join(' or ');
}

export function valueText(value: CaseValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return String(value);
  const range = parseRange(value);
  if (range === undefined) return toSpacedName(value);
  if (range.from === -Infinity) return `up to ${range.to}`;
  return range.to === Infinity ? `${range.from} or more` : `${range.from} to ${range.to}`;
}

/** Names a rule that another one goes before, and the outcomes of it that still hold where both speak. */
export function describePrecedence(rule: string, other: string, table: CaseTable): string {
  const labels = listLeftOutcomes(rule, other, table).map(({ label }) => label);
  return labels.length === 0 ? other : `${other} (what ${other} demands of ${labels.join(' and ')} still holds)`;
}

/** Outcomes that a rule demands alone in cases where another one goes before it in some other outcome. */
export function listLeftOutcomes(rule: string, other: string, table: CaseTable): TableOutcome[] {
  const listBoxes = (by: string, name: string): Box[] =>
    table.lines.flatMap((line) => (line.rule === by && line.demands[name] !== undefined ? line.boxes : []));
  const beaten = table.outcomes.flatMap(({ name }) => intersectAll(listBoxes(rule, name), listBoxes(other, name)));
  return table.outcomes.filter(({ name, needed }) => {
    const both = intersectAll(intersectAll(beaten, listBoxes(other, name)), needed);
    return keepPossible(subtractAll(both, listBoxes(rule, name)), table).length > 0;
  });
}
