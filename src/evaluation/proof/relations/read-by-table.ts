/** What a tool tells or writes must follow what the approved table demands: on both sides of each boundary of its rules. */
import { buildTable } from '../../../scenario/cases/case-table.ts';
import {
  longAttribute,
  type CaseRule,
  type Cases,
  type CaseValue,
  type Derivation,
} from '../../../scenario/cases/cases.ts';
import type { Case } from '../../../scenario/cases/format-cases.ts';
import { listComputed, listExpected, readCase } from '../../../scenario/cases/judge-by-table.ts';
import { fillNames } from '../../../scenario/cases/read-trial.ts';
import type { StatedCase } from '../../../scenario/cases/sample-case.ts';
import type { Design } from '../../../scenario/design.ts';
import { sameJson, type JsonObject } from '../../../scenario/json/json-value.ts';
import { applyPatch, valueAt } from '../../../scenario/json/patch.ts';
import type { ToolCall } from '../../components/call-tool.ts';
import { isSuccess, tryCall, type ObservedCall } from './observed-calls.ts';
import { describeDeviations, WITHOUT, type ToldRow } from './table-deviations.ts';
import { listLeaves, listWritten, type Leaf } from './world-records.ts';

/** The most worlds in which one call is made again. */
const MOST_WORLDS = 16;
/** The most calls of a tool that are made again in other worlds. */
const MOST_VARIED = 16;
const DAY_MS = 86_400_000;

/** A call, and the case of its sample. */
export type CallInCase = { observed: ObservedCall; stated: StatedCase };

/** Finds a field that follows an outcome from one case to another, and does not follow it to a third. */
export async function findUntrueReading(
  { calls, design }: { calls: readonly CallInCase[]; design: Design },
  signal: AbortSignal,
): Promise<string | undefined> {
  const perCall: ToldRow[][] = [];
  for (const [index, call] of calls.entries()) {
    const isTelling = listTold(call.observed.call).some(({ value }) => ['number', 'boolean'].includes(typeof value));
    const most = index < MOST_VARIED ? MOST_WORLDS : 0;
    if (isTelling) perCall.push(await listRows(call, { design, most }, signal));
  }
  const text = describeDeviations(perCall, design);
  return text && `table and tool disagree: ${text}`;
}

async function listRows(
  call: CallInCase,
  { design, most }: { design: Design; most: number },
  signal: AbortSignal,
): Promise<ToldRow[]> {
  const { observed } = call;
  const { cases } = design.format;
  const { rules } = design.rules;
  const rows: ToldRow[] = [];
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
    // A call that must not come about is left to the subject, which may well make none.
    const isRead = answer.change.length === 0;
    const sure = demanded.filter(([name, value]) => (!isOther || given.has(name)) && (isRead || Number(value) > 0));
    const expected = new Map(isRead && !isOther ? [...sure, ...listLimits(known, { cases, rules })] : sure);
    if (expected.size > 0) rows.push({ observed, attribute, what, known, expected, told: new Map(told) });
  };
  await add('', 'in its gold path', observed.world);
  for (const { attribute, value, world } of listWorlds(call, cases, design).slice(0, most))
    await add(attribute, `with ${attribute} ${String(value)}`, world);
  return rows;
}

/** Lists what a call answers beside what the world itself holds under that name; of one that writes, what it wrote, by its field. */
function listTold({ output, change }: Pick<ToolCall, 'output' | 'change'>, world: JsonObject = {}): Leaf[] {
  const held = listLeaves(world);
  if (change.length > 0) return listWritten({ change });
  return listLeaves(output).filter(
    ({ field, value }) => !held.some((one) => one.field === field && one.value === value),
  );
}

/** Amounts without one of the attributes that they are computed from: a tool may tell a limit by itself. */
function listLimits(known: Case, table: { cases: Cases; rules: readonly CaseRule[] }): [string, number | boolean][] {
  const names = [...listComputed(table.rules)].filter((name) => known[name] !== undefined);
  return names.flatMap((aside) =>
    Array.from(listExpected(known, { ...table, aside }), ([outcome, value]) => [outcome + WITHOUT + aside, value]),
  );
}

type VariedWorld = { attribute: string; value: CaseValue; world: JsonObject };

/** The call's world with another value of one attribute: every choice, and both ends of what rules treat alike. */
function listWorlds(call: CallInCase, cases: Cases, { rules }: Design): VariedWorld[] {
  const { attributes } = buildTable(cases, rules.rules);
  const computed = listComputed(rules.rules);
  const known = readCase(call.stated, call.observed.world, cases);
  return attributes.flatMap(({ name, cells }) => {
    // An attribute that the case is not about may decide what the tool tells, and no rule says how.
    const isMinded = cells.length > 1 || computed.has(name);
    const values = new Set(
      isMinded && known?.[name] !== undefined ? cells.flatMap((cell) => [cell.to, cell.from]) : [],
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
