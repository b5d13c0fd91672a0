/** Finds faults in the case table: contradictory demands, undecided cases, and rules that add nothing. */
import { containsBoxes, intersectBoxes, intersectAll, subtractAll, widenBox, type Box } from './boxes.ts';
import { keepPossible, type CaseTable, type TableLine, type TableOutcome } from './case-table.ts';
import { beginCaseSentence, pickExample, valuesText, type Case } from './format-cases.ts';
import { toArray, type CaseValue } from './cases.ts';

export type CaseFinding = {
  kind: 'conflict' | 'gap' | 'subsumed';
  rules: string[];
  outcome?: string;
  /** A description in words, with one concrete case. */
  text: string;
  /** A case that shows the fault; a subsumed rule needs none. */
  example?: Case;
};

/** The most parts of a gap that are searched; further parts are not shown. */
const MOST_PARTS = 100;
const MOST_GAPS = 4;

export function findTableFaults(table: CaseTable): CaseFinding[] {
  return [
    ...table.outcomes.flatMap(({ name }) => findConflicts(name, table)),
    ...table.outcomes.flatMap((outcome) => findGaps(outcome, table)),
    ...findSubsumed(table),
  ];
}

function findDemanding(outcome: string, { lines }: CaseTable): TableLine[] {
  return lines.filter(({ demands }) => demands[outcome] !== undefined);
}

function findConflicts(outcome: string, table: CaseTable): CaseFinding[] {
  const lines = findDemanding(outcome, table);
  const found = lines.flatMap((one, index) =>
    lines.slice(index + 1).flatMap((other) => findConflict(outcome, [one, other], table) ?? []),
  );
  // Two rules with several lines each count as one conflict.
  return found.filter(
    ({ rules }, index) => found.findIndex((earlier) => earlier.rules.join() === rules.join()) === index,
  );
}

function findConflict(outcome: string, pair: [TableLine, TableLine], table: CaseTable): CaseFinding | undefined {
  const [one, other] = pair;
  const agree = getDemandedValues(one, outcome).some((value) => getDemandedValues(other, outcome).includes(value));
  if (agree || goesBefore(one, other, table) || goesBefore(other, one, table)) return undefined;
  const stronger = findDemanding(outcome, table).filter((line) =>
    pair.some((weaker) => goesBefore(line, weaker, table)),
  );
  const settled = stronger.flatMap(({ boxes }) => boxes);
  for (const shared of intersectAll(one.boxes, other.boxes)) {
    const [left] = keepPossible(subtractAll([shared], settled), table);
    if (left === undefined) continue;
    const example = pickExample(left, table);
    const rules = [...new Set([one.rule, other.rule])];
    const label = table.outcomes.find(({ name }) => name === outcome)?.label ?? outcome;
    const says = pair.map((line) => `${line.rule} demands ${valuesText(line.demands[outcome] ?? [])}`).join(', ');
    const where = beginCaseSentence(widenBox(left, shared, settled), table);
    const order = rules.length === 1 ? 'one rule cannot demand both' : 'neither goes first';
    return {
      kind: 'conflict' as const,
      rules,
      outcome,
      example,
      text: `${where} the rules disagree about ${label}: ${says}, and ${order}.`,
    };
  }
  return undefined;
}

function goesBefore(one: TableLine, other: TableLine, { before }: CaseTable): boolean {
  return before.get(one.rule)?.has(other.rule) ?? false;
}

function getDemandedValues({ demands }: TableLine, outcome: string): CaseValue[] {
  return toArray(demands[outcome] ?? []);
}

/** Counts parts as one gap when they overlap after being widened as far as possible. */
function findGaps({ name, label, needed }: TableOutcome, table: CaseTable): CaseFinding[] {
  const decided = findDemanding(name, table).flatMap(({ boxes }) => boxes);
  const found: CaseFinding[] = [];
  const seen: Box[] = [];
  let left = keepPossible(subtractAll(needed, decided), table);
  while (found.length < MOST_GAPS && seen.length < MOST_PARTS) {
    const [piece] = left;
    if (piece === undefined) break;
    const limit = needed.find((box) => containsBoxes([box], [piece])) ?? piece;
    const wide = widenBox(piece, limit, decided);
    const isNew = seen.every((earlier) => intersectBoxes(earlier, wide) === undefined);
    const text = `${beginCaseSentence(wide, table)} no rule decides ${label}.`;
    if (isNew) found.push({ kind: 'gap', rules: [], outcome: name, example: pickExample(piece, table), text });
    seen.push(wide);
    left = subtractAll(left, [wide]);
  }
  return found;
}

/** Finds a rule whose demands another rule makes too, or that a stronger rule overrides in every case. */
function findSubsumed(table: CaseTable): CaseFinding[] {
  const ids = [...new Set(table.lines.map(({ rule }) => rule))];
  const found: CaseFinding[] = [];
  for (const id of ids.toReversed()) {
    const own = table.lines.filter(({ rule }) => rule === id);
    const spoken = keepPossible(
      own.flatMap(({ boxes }) => boxes),
      table,
    );
    if (spoken.length === 0) {
      found.push({ kind: 'subsumed', rules: [id], text: `${id} speaks of no case that can occur.` });
      continue;
    }
    if (own.every(({ demands }) => Object.keys(demands).length === 0)) continue;
    // For two equal rules only the later one is reported.
    const named = new Set(found.flatMap(({ rules }) => rules.slice(0, 1)));
    const other = ids.find((one) => one !== id && !named.has(one) && demandsAll(one, own, table));
    if (other !== undefined) {
      found.push({
        kind: 'subsumed',
        rules: [id, other],
        text: `${id} demands nothing that ${other} does not demand.`,
      });
    }
  }
  return found.toReversed();
}

/** Never reports an exception: a rule that takes precedence over another has a reason to exist. */
function demandsAll(other: string, own: readonly TableLine[], table: CaseTable): boolean {
  const [first] = own;
  if (first === undefined || table.before.get(first.rule)?.size !== 0) return false;
  return own.every((line) =>
    Object.keys(line.demands).every((outcome) => {
      const same = table.lines.filter(
        (theirs) =>
          theirs.rule === other &&
          theirs.demands[outcome] !== undefined &&
          getDemandedValues(theirs, outcome).every((value) => getDemandedValues(line, outcome).includes(value)),
      );
      return containsBoxes([...same.flatMap(({ boxes }) => boxes), ...table.impossible], line.boxes);
    }),
  );
}
