/** Worlds in which the case of a call is another one: one attribute is written where the design reads it. */
import { buildTable } from '../../../scenario/cases/case-table.ts';
import { longAttribute, type Cases, type CaseValue, type Derivation } from '../../../scenario/cases/cases.ts';
import { readCase } from '../../../scenario/cases/judge-by-table.ts';
import { fillNames } from '../../../scenario/cases/read-trial.ts';
import type { Case } from '../../../scenario/cases/format-cases.ts';
import type { StatedCase } from '../../../scenario/cases/sample-case.ts';
import type { Design } from '../../../scenario/design.ts';
import { sameJson, type JsonObject } from '../../../scenario/json/json-value.ts';
import { applyPatch, valueAt } from '../../../scenario/json/patch.ts';
import type { ObservedCall } from './observed-calls.ts';

const DAY_MS = 86_400_000;

/** A call, and the case of its sample. */
export type CallInCase = { observed: ObservedCall; stated: StatedCase };

export type VariedWorld = { attribute: string; value: CaseValue; world: JsonObject };

/** The call's world with another value of one attribute: every choice, and both ends of what rules treat alike. */
export function listWorlds(call: CallInCase, cases: Cases, { rules }: Design): VariedWorld[] {
  const { attributes } = buildTable(cases, rules.rules);
  return attributes.flatMap(({ name, cells }) => {
    const values = new Set(cells.length < 2 ? [] : cells.flatMap((cell) => [cell.to, cell.from]));
    return [...values].flatMap((value) => {
      const world = writeAttribute(call, { cases, name, value });
      return world === undefined || sameJson(world, call.observed.world) ? [] : [{ attribute: name, value, world }];
    });
  });
}

/** The attributes of the call's case in another world, of which the sample states all but the varied one. */
export function readVariedCase(
  { stated }: CallInCase,
  { attribute, world }: Omit<VariedWorld, 'value'>,
  cases: Cases,
): Case | undefined {
  const { [attribute]: _varied, ...others } = stated.case ?? {};
  return readCase({ ...stated, case: others }, world, cases);
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
