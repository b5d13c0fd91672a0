/** Where what a tool tells or writes leaves the approved table, in calls of several worlds. */
import { listExpected } from '../../../scenario/cases/judge-by-table.ts';
import type { CaseValue } from '../../../scenario/cases/cases.ts';
import type { Case } from '../../../scenario/cases/format-cases.ts';
import type { Design } from '../../../scenario/design.ts';
import { describeCall } from '../../judge/judge-expectation.ts';
import type { ObservedCall } from './observed-calls.ts';

/** For each gold path in which a field is not what is demanded, more than so many in which it is. */
const LEAST_LIKE_GOLDS = 2;

/** One world with what the table expects there, and what the tool told; `attribute` is what was varied. */
export type ToldRow = {
  observed: ObservedCall;
  attribute: string;
  what: string;
  known: Case;
  expected: ReadonlyMap<string, number | boolean>;
  told: ReadonlyMap<string, unknown>;
};

/** Between an outcome and the attribute that is left out of it, in the name of what it would be then. */
export const WITHOUT = ' without ';

/** A field that is elsewhere what is demanded, and the row in which it is not; one that is so throughout has none. */
type Followed = { field: string; row: ToldRow | undefined; isTrue: boolean };

/** Describes what leaves the table in the rows of each call; only the gold paths are held against each other. */
export function describeDeviations(perCall: readonly ToldRow[][], design: Design): string | undefined {
  const golds = perCall.flat().filter(({ attribute }) => attribute === '');
  const [found] = [
    ...perCall.map((rows) => describeUntruePart(rows, design)),
    ...perCall.map((rows) => describeDeviation(rows, 1)),
    describeDeviation(golds.map(keepAmounts), LEAST_LIKE_GOLDS),
  ].filter((one) => one !== undefined);
  return found;
}

/** Keeps amounts: a yes or no, and a limit, are about one call. */
function keepAmounts(row: ToldRow): ToldRow {
  const amounts = [...row.expected].filter(([name, value]) => typeof value === 'number' && !name.includes(WITHOUT));
  return { ...row, expected: new Map(amounts) };
}

function describeTold({ observed: { call }, told, what }: ToldRow, field: string): string {
  const verb = call.change.length === 0 ? 'answers' : 'writes';
  return `${describeCall(call)} ${verb} ${field} ${JSON.stringify(told.get(field))} ${what}`;
}

function describeDeviation(rows: readonly ToldRow[], least: number): string | undefined {
  const outcomes = [...new Set(rows.flatMap(({ expected }) => [...expected.keys()]))];
  // A field that follows one outcome throughout is not about another one.
  const isSettled = (field: string): boolean =>
    outcomes.some((outcome) => {
      const { unlike, isSteady } = splitAlike(rows, { outcome, field });
      return unlike.length === 0 && !isSteady;
    });
  for (const outcome of outcomes) {
    const followed = listFollowed(rows, outcome, least);
    const { field = '', row } = followed.find((one) => one.row !== undefined) ?? {};
    // Where one field is right throughout, the others mean something else.
    if (row !== undefined && !followed.some(({ isTrue }) => isTrue) && !isSettled(field))
      return `${describeTold(row, field)}, where the table demands ${outcome} ${String(row.expected.get(outcome))}; elsewhere ${field} is what it demands`;
  }
  return undefined;
}

/** A value that is told under the name of an attribute is that of the case, unless the rules demand the same for both. */
function describeUntruePart(
  rows: readonly ToldRow[],
  { format: { cases }, rules: { rules } }: Design,
): string | undefined {
  for (const row of rows) {
    for (const [name, value] of Object.entries(row.known)) {
      const told = row.told.get(name);
      if (cases === undefined || typeof told !== typeof value || told === value) continue;
      const demanded = listExpected({ ...row.known, [name]: told as CaseValue }, { cases, rules });
      const other = [...row.expected].find(
        ([outcome, is]) => !outcome.includes(WITHOUT) && demanded.get(outcome) !== is,
      );
      if (row.observed.call.change.length === 0 && other !== undefined)
        return `${describeTold(row, name)}, where ${name} is ${String(value)}, and the table demands ${other[0]} ${String(other[1])}`;
    }
  }
  return undefined;
}

/** The rows in which a field is what the table demands, and those in which it is something else. */
function splitAlike(rows: readonly ToldRow[], { outcome, field }: { outcome: string; field: string }) {
  const having = rows.filter(({ expected, told }) => expected.has(outcome) && told.has(field));
  const isAlike = ({ expected, told }: ToldRow) => told.get(field) === expected.get(outcome);
  const alike = having.filter(isAlike);
  const countKinds = (some: readonly ToldRow[]) => new Set(some.map(({ expected }) => expected.get(outcome))).size;
  return { alike, unlike: having.filter((row) => !isAlike(row)), isSteady: countKinds(alike) < 2, countKinds };
}

/** `least`: the fewest rows in which a field is what is demanded, for each in which it is not. */
function listFollowed(rows: readonly ToldRow[], outcome: string, least: number): Followed[] {
  const asked = rows.filter(({ expected }) => expected.has(outcome));
  const fields = new Set(asked.flatMap(({ told }) => [...told.keys()]));
  return [...fields].flatMap((field) => {
    const { alike, unlike, isSteady, countKinds } = splitAlike(asked, { outcome, field });
    const other = findOtherAmount(asked, { outcome, field });
    if (other !== undefined) return [{ field, row: other, isTrue: false }];
    if (isSteady || unlike.length * least >= alike.length) return [];
    // A yes or no may be about one condition of several: only the one that it follows counts against it.
    const followed = new Set(alike.map(({ attribute }) => attribute));
    const isFollowed = [...followed].some(
      (name) => countKinds(alike.filter(({ attribute }) => attribute === name)) > 1,
    );
    const against = unlike.find(({ attribute, expected }) => {
      const isOfCase = attribute === '' ? isFollowed : followed.has(attribute);
      return typeof expected.get(outcome) === 'number' || isOfCase;
    });
    return [{ field, row: against, isTrue: unlike.length === 0 }];
  });
}

/** A field that is zero just where the table demands zero, and elsewhere one number that is not the one it demands. */
function findOtherAmount(
  rows: readonly ToldRow[],
  { outcome, field }: { outcome: string; field: string },
): ToldRow | undefined {
  const isNone = ({ expected }: ToldRow): boolean => expected.get(outcome) === 0;
  if (!rows.every((row) => row.told.has(field) && isNone(row) === (row.told.get(field) === 0))) return undefined;
  const due = rows.filter((row) => !isNone(row));
  const pairs = due.map(({ expected, told }) => [expected.get(outcome), told.get(field)] as const);
  const [[demanded, said] = []] = pairs;
  const isFixed = pairs.every(([one, other]) => one === demanded && other === said);
  if (typeof demanded !== 'number' || typeof said !== 'number' || !isFixed || rows.length - due.length < 2)
    return undefined;
  // Another unit is no other amount.
  const isUnit = [demanded / 100, demanded / 60, demanded * 100, demanded * 60].includes(said);
  return due.length < 2 || demanded === said || isUnit ? undefined : due[0];
}
