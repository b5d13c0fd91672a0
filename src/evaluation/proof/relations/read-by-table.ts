/** What a tool tells or writes must follow what the approved table demands: on both sides of each boundary of its rules. */
import { buildTable } from '../../../scenario/cases/case-table.ts';
import { longAttribute, type Cases, type CaseValue, type Derivation } from '../../../scenario/cases/cases.ts';
import { listExpected, readCase } from '../../../scenario/cases/judge-by-table.ts';
import { fillNames } from '../../../scenario/cases/read-trial.ts';
import type { StatedCase } from '../../../scenario/cases/sample-case.ts';
import type { Design } from '../../../scenario/design.ts';
import { sameJson, type JsonObject } from '../../../scenario/json/json-value.ts';
import { applyPatch, valueAt } from '../../../scenario/json/patch.ts';
import type { ToolCall } from '../../components/call-tool.ts';
import { describeCall } from '../../judge/judge-expectation.ts';
import { isSuccess, tryCall, type ObservedCall } from './observed-calls.ts';
import { listLeaves, type Leaf } from './world-records.ts';

/** The most worlds in which one call is made again. */
const MOST_WORLDS = 16;
const DAY_MS = 86_400_000;

/** A call, and the case of its sample. */
export type CallInCase = { observed: ObservedCall; stated: StatedCase };

/** One world with what the table expects there, and what the tool told; `attribute` is what was varied. */
type TableRow = {
  attribute: string;
  what: string;
  expected: ReadonlyMap<string, number | boolean>;
  told: ReadonlyMap<string, unknown>;
};

/** Finds a field that follows an outcome from one case to another, and does not follow it to a third. */
export async function findUntrueReading(
  { calls, design }: { calls: readonly CallInCase[]; design: Design },
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const call of calls) {
    const { observed } = call;
    if (!listTold(observed.call).some(({ value }) => typeof value === 'number' || typeof value === 'boolean')) continue;
    const rows = await listRows(call, design, signal);
    for (const outcome of new Set(rows.flatMap(({ expected }) => [...expected.keys()]))) {
      const found = findDeviation(rows, outcome);
      if (found === undefined) continue;
      const { field, row } = found;
      const verb = observed.call.change.length === 0 ? 'answers' : 'writes';
      return (
        `table and tool disagree: ${describeCall(observed.call)} ${verb} ${field} ${JSON.stringify(row.told.get(field))} ` +
        `${row.what}, where the table demands ${outcome} ${String(row.expected.get(outcome))}; elsewhere ${field} is what it demands`
      );
    }
  }
  return undefined;
}

function findDeviation(rows: readonly TableRow[], outcome: string): { field: string; row: TableRow } | undefined {
  const asked = rows.filter(({ expected }) => expected.has(outcome));
  const isAlike = ({ expected, told }: TableRow, field: string) => told.get(field) === expected.get(outcome);
  const fields = [...new Set(asked.flatMap(({ told }) => [...told.keys()]))];
  const deviating = fields.flatMap((field) => {
    const [alike, unlike] = [true, false].map((is) =>
      asked.filter((row) => row.told.has(field) && isAlike(row, field) === is),
    ) as [TableRow[], TableRow[]];
    const countKinds = (rows: readonly TableRow[]) => new Set(rows.map(({ expected }) => expected.get(outcome))).size;
    const other = findOtherAmount(asked, { outcome, field });
    if (other !== undefined) return [{ field, row: other, isTrue: false }];
    if (countKinds(alike) < 2 || unlike.length >= alike.length) return [];
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
  // Where one field is right throughout, the others mean something else.
  if (deviating.some(({ isTrue }) => isTrue)) return undefined;
  const [first] = deviating.flatMap(({ field, row }) => (row === undefined ? [] : [{ field, row }]));
  return first;
}

/** A field that is zero just where the table demands zero, and elsewhere one number that is not the one it demands. */
function findOtherAmount(
  rows: readonly TableRow[],
  { outcome, field }: { outcome: string; field: string },
): TableRow | undefined {
  const isNone = ({ expected }: TableRow): boolean => expected.get(outcome) === 0;
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

async function listRows(call: CallInCase, design: Design, signal: AbortSignal): Promise<TableRow[]> {
  const { observed } = call;
  const { cases } = design.format;
  const { rules } = design.rules;
  const rows: TableRow[] = [];
  const numbers = new Set(listLeaves(observed.call.input).map(({ value }) => value));
  let given = new Map<string, number | boolean>();
  if (cases === undefined) return rows;
  const add = async (attribute: string, what: string, world: JsonObject): Promise<void> => {
    const { [attribute]: _varied, ...others } = call.stated.case ?? {};
    const known = readCase({ ...call.stated, case: others }, world, cases);
    if (known === undefined) return;
    const answer = await tryCall(observed, { world }, signal);
    if (answer === undefined || !isSuccess(answer, observed.call)) return;
    const told = listTold(answer, world).map((leaf) => [leaf.path.slice(1), leaf.value] as const);
    const demanded = [...listExpected(known, { cases, rules })];
    if (attribute === '') given = new Map(demanded.filter(([, value]) => numbers.has(value)));
    // A call that is given one amount would be given another one here, and the others follow from it.
    const isOther = demanded.some(([outcome, value]) => (given.get(outcome) ?? value) !== value);
    // What must not come about is left to the subject, which may well make no such call.
    const isRead = answer.change.length === 0;
    const sure = demanded.filter(([name, value]) => (!isOther || given.has(name)) && (isRead || Number(value) > 0));
    const expected = new Map(sure);
    if (expected.size > 0) rows.push({ attribute, what, expected, told: new Map(told) });
  };
  await add('', 'in its gold path', observed.world);
  for (const { attribute, value, world } of listWorlds(call, cases, design).slice(0, MOST_WORLDS))
    await add(attribute, `with ${attribute} ${String(value)}`, world);
  return rows;
}

/** What a call answers beside what the world itself holds under that name; of one that writes, what it wrote, by its field. */
function listTold({ output, change }: Pick<ToolCall, 'output' | 'change'>, world: JsonObject = {}): Leaf[] {
  const held = listLeaves(world);
  if (change.length === 0)
    return listLeaves(output).filter(
      ({ field, value }) => !held.some((one) => one.field === field && one.value === value),
    );
  return change.flatMap((one) =>
    'value' in one ? listLeaves(one.value, one.path.slice(one.path.lastIndexOf('/'))) : [],
  );
}

type VariedWorld = { attribute: string; value: CaseValue; world: JsonObject };

/** The call's world with another value of one attribute: every choice, and both ends of what rules treat alike. */
function listWorlds(call: CallInCase, cases: Cases, { rules }: Design): VariedWorld[] {
  const { attributes } = buildTable(cases, rules.rules);
  const known = readCase(call.stated, call.observed.world, cases);
  return attributes.flatMap(({ name, cells }) => {
    // What the case is not about may decide what the tool tells, and no rule says how.
    const values = new Set(
      cells.length < 2 || known?.[name] === undefined ? [] : cells.flatMap((cell) => [cell.to, cell.from]),
    );
    return [...values].flatMap((value) => {
      const world = writeAttribute(call, { cases, name, value });
      return world === undefined || sameJson(world, call.observed.world) ? [] : [{ attribute: name, value, world }];
    });
  });
}

type WrittenAttribute = { cases: Cases; name: string; value: CaseValue };

/** Undefined where the attribute is read nowhere, or in a place that the world does not have. */
export function writeAttribute(
  { observed, stated }: CallInCase,
  { cases, name, value }: WrittenAttribute,
): JsonObject | undefined {
  const { from } = longAttribute(cases.attributes[name] ?? []);
  return from && writeValue(from, value, { world: observed.world, names: stated.case_of ?? {} });
}

type NamedWorld = { world: JsonObject; names: Record<string, string | number> };

/** The world in which an attribute that is read there has this value. */
function writeValue(from: Derivation, value: CaseValue, { world, names }: NamedWorld): JsonObject | undefined {
  const put = (pointer: string, put: unknown): JsonObject | undefined => {
    const path = fillNames(pointer, names);
    if (valueAt(world, path) === undefined) return undefined;
    const end = applyPatch(world, [{ op: 'replace', path, value: put }]);
    return end.ok ? end.world : undefined;
  };
  if ('at' in from) return put(from.at, value);
  if (!('days' in from) || typeof value !== 'number') return undefined;
  const [start, end] = from.days.map((pointer) => String(valueAt(world, fillNames(pointer, names)))) as [
    string,
    string,
  ];
  // What all cases share, such as today, stays: the record is moved instead.
  const isStart = from.days[0].includes('{');
  const [fixed, moved] = isStart ? [end, start] : [start, end];
  const day = Date.parse(fixed.slice(0, 10)) + (isStart ? -value : value) * DAY_MS;
  if (Number.isNaN(day)) return undefined;
  return put(from.days[isStart ? 0 : 1], `${new Date(day).toISOString().slice(0, 10)}${moved.slice(10)}`);
}
