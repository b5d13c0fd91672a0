/** The oracle: the approved table says for each rule what the case of a sample demands, and code reads whether it came about. */
import { sameJson, type JsonObject } from '../json/json-value.ts';
import { valueAt } from '../json/patch.ts';
import { parseArithmetic } from './arithmetic.ts';
import { buildTable, toSpacedName, type CaseTable } from './case-table.ts';
import { isConditionMet, listRuleLines, longAttribute, longOutcome, parseRange, toArray } from './cases.ts';
import type { CaseRule, Cases, CaseValue } from './cases.ts';
import type { Case } from './format-cases.ts';
import { isNumeric, isReading, listNames, type ReadForm } from './readings.ts';
import { fillNames, findUnframed, readTrial, type PlayedCall, type PlayedTrial } from './read-trial.ts';
import { resolveCase, type StatedCase } from './sample-case.ts';

/** The verdict on one demand; a frame has no rule. `text` names what was demanded and what was read. */
export type TableVerdict = {
  rule?: string;
  outcome: string;
  says: 'met' | 'not met' | 'nothing';
  text: string;
};

export const FRAME = 'frame';

export type JudgedWorlds = { before: JsonObject; after: JsonObject; calls: readonly PlayedCall[] };

/** Judges a trial of a sample; the case that the sample claims is believed as far as its start world does not deny it. */
export type TableOracle = (stated: StatedCase, trial: JudgedWorlds) => TableVerdict[];

/** Undefined where the design says of no outcome where it is read. */
export function createOracle(cases: Cases | undefined, rules: readonly CaseRule[]): TableOracle | undefined {
  if (cases === undefined || !isRead(cases)) return undefined;
  const { before } = buildTable(cases, rules);
  return (stated, trial) => {
    const known = readCase(stated, trial.before, cases);
    if (known === undefined) return [];
    const played: PlayedTrial = { ...trial, names: { ...known, ...stated.case_of } };
    const judged: JudgedCase = { cases, known, played, demands: listDemands({ cases, rules, before, known }) };
    return [...judged.demands.map((demand) => judgeDemand(demand, judged)), ...judgeFrame(judged)];
  };
}

function isRead({ outcomes, frames = [] }: Cases): boolean {
  return frames.length > 0 || Object.values(outcomes).some((outcome) => isReading(longOutcome(outcome).from));
}

/** The attributes that the case of a sample has; undefined where it claims what its start world denies. */
export function readCase(stated: StatedCase, world: JsonObject, cases: Cases): Case | undefined {
  const { known, faults } = resolveCase(stated, world, cases);
  return faults.length > 0 ? undefined : keepApplying(known, cases);
}

/** The rules of which a line speaks about the case. */
export function listRulesInCase(known: Case, rules: readonly CaseRule[]): Set<string> {
  const speaking = rules.filter((rule) => listRuleLines(rule).some(({ when }) => isConditionMet(when, known)));
  return new Set(speaking.map(({ id }) => id));
}

/** The number, or the yes or no, that is demanded of each outcome of a case, where it is a single one. */
export function listExpected(
  known: Case,
  { cases, rules }: { cases: Cases; rules: readonly CaseRule[] },
): Map<string, number | boolean> {
  const { before } = buildTable(cases, rules);
  const demands = listDemands({ cases, rules, before, known });
  return new Map(
    demands.flatMap(({ outcome, values: [value, ...others] }) => {
      const isAnswer = value === 'yes' || value === 'no';
      const parsed = typeof value === 'string' && !isAnswer ? parseArithmetic(value) : undefined;
      const number = parsed?.ok === true && parsed.names.size > 0 ? parsed.evaluate(known) : value;
      const single = isAnswer ? value === 'yes' : number;
      const isPlain = typeof single === 'number' || typeof single === 'boolean';
      return others.length === 0 && isPlain ? [[outcome, single] as const] : [];
    }),
  );
}

/** Leaves out attributes that a case does not have, so that no rule is read into it by a usual value. */
function keepApplying(known: Case, { attributes }: Cases): Case {
  const kept = Object.fromEntries(
    Object.entries(known).filter(([name]) => {
      const attribute = attributes[name];
      return attribute === undefined || isConditionMet(longAttribute(attribute).when ?? 'all', known);
    }),
  );
  return Object.keys(kept).length === Object.keys(known).length ? kept : keepApplying(kept, { attributes } as Cases);
}

type Demand = { rule: string; outcome: string; values: CaseValue[] };

type DemandedCase = { cases: Cases; rules: readonly CaseRule[]; before: CaseTable['before']; known: Case };

/** The demands that hold in the case; a rule that another one overrules there demands nothing of that outcome. */
function listDemands({ cases, rules, before, known }: DemandedCase): Demand[] {
  const all = rules.flatMap((rule) =>
    listRuleLines(rule)
      .filter(({ when }) => isConditionMet(when, known))
      .flatMap(({ demands }) =>
        Object.entries(demands).map(([outcome, value]) => ({ rule: rule.id, outcome, values: toArray(value) })),
      ),
  );
  return all.filter(({ rule, outcome }) => {
    const { when = 'all' } = longOutcome(cases.outcomes[outcome] ?? []);
    const isOverruled = all.some((other) => other.outcome === outcome && before.get(other.rule)?.has(rule) === true);
    return !isOverruled && isConditionMet(when, known);
  });
}

type JudgedCase = { cases: Cases; known: Case; played: PlayedTrial; demands: readonly Demand[] };

function judgeDemand({ rule, outcome, values }: Demand, judged: JudgedCase): TableVerdict {
  const { cases, known, played, demands } = judged;
  const { from, as, means = toSpacedName(outcome), values: domain } = longOutcome(cases.outcomes[outcome] ?? []);
  const say = (says: TableVerdict['says'], text: string): TableVerdict => ({
    rule,
    outcome,
    says,
    text: `${rule} demands ${means}: ${text}`,
  });
  const wanted = values.map(String).join(' or ');
  if (!isReading(from)) return say('nothing', `${wanted}, which the table does not read`);
  // No trial can keep both, and the gate shows the conflict: neither the subject nor a sample is to blame for it.
  const other = demands.find((one) => one.outcome === outcome && !one.values.some((value) => values.includes(value)));
  if (other !== undefined)
    return say('nothing', `${wanted}, and ${other.rule} demands ${other.values.join(' or ')}: neither goes first`);
  const found = readTrial(from, played);
  if ('missing' in found) return say('nothing', `${wanted}; its sample names no ${found.missing} under case_of`);
  if (found.read.length === 0 && !('at' in from)) return say('nothing', `${wanted}, where there is any; there is none`);
  const expected = values.map((value) =>
    describeExpected(as?.[String(value)] ?? standForCount(value, isNumeric(from)), {
      played,
      known,
      isNumber: typeof domain === 'string' || isNumeric(from),
    }),
  );
  const unknown = expected.find(({ matches }) => matches === undefined);
  if (unknown !== undefined) return say('nothing', `${unknown.text}, which this case does not tell`);
  const read = found.read.length === 0 ? [undefined] : found.read;
  const isMet = read.every((value) => expected.some(({ matches }) => matches?.(value)));
  const names = values.map((value, index) => joinValue(String(value), expected[index]?.text ?? ''));
  return say(isMet ? 'met' : 'not met', `${names.join(' or ')}; read: ${read.map(formatRead).join(', ')}`);
}

/** For a number of entries or calls, yes is at least one and no is none. */
function standForCount(value: CaseValue, isCount: boolean): ReadForm {
  if (!isCount) return value;
  if (value === true || value === 'yes') return '1..';
  return value === false || value === 'no' ? 0 : value;
}

type Expected = { text: string; matches?: (value: unknown) => boolean };

type ExpectedCase = { played: PlayedTrial; known: Case; isNumber: boolean };

function describeExpected(value: ReadForm, { played, known, isNumber }: ExpectedCase): Expected {
  if (value === null) return { text: 'nothing there', matches: (found) => found === undefined || found === null };
  if (typeof value === 'object') {
    const place = fillNames(value.at, played.names);
    const there = valueAt(played.before, place);
    if (listNames(place).length > 0 || there === undefined) return { text: `what the start world has at ${place}` };
    return { text: `${formatRead(there)}, as at ${place}`, matches: (found) => sameJson(found, there) };
  }
  if (typeof value !== 'string' || !isNumber) return { text: String(value), matches: (found) => found === value };
  const range = parseRange(value);
  if (range !== undefined) {
    const text = range.to === Infinity ? `at least ${range.from}` : value;
    return { text, matches: (found) => typeof found === 'number' && found >= range.from && found <= range.to };
  }
  const parsed = parseArithmetic(value);
  const number = parsed.ok ? parsed.evaluate(known) : undefined;
  if (!parsed.ok || number === undefined) return { text: value };
  const shown = value.replaceAll(/[a-z]\w*/g, (name) => (Object.hasOwn(known, name) ? String(known[name]) : name));
  const how = shown === String(number) ? value : `${value} = ${shown}`;
  return { text: `${number} (${how})`, matches: (found) => found === number };
}

function joinValue(name: string, text: string): string {
  if (text === name || text.startsWith(`${name} (`) || text.includes(`(${name}`)) return text;
  return `${toSpacedName(name)} (${text})`;
}

function formatRead(value: unknown): string {
  return value === undefined ? 'nothing' : (JSON.stringify(value) ?? 'nothing');
}

/** A case in no frame is not judged by one; in several, each of them allows its places. */
function judgeFrame({ cases: { frames = [] }, known, played }: JudgedCase): TableVerdict[] {
  const framed = frames.filter(({ when }) => isConditionMet(when, known));
  const own = framed.flatMap((frame) => frame.may_change);
  const isNamed = own.flatMap(listNames).every((name) => Object.hasOwn(played.names, name));
  if (framed.length === 0 || !isNamed) return [];
  const place = findUnframed(own, played);
  const text =
    place === undefined
      ? 'only what this request may change was changed'
      : `this request may not change ${place}, and it was changed`;
  return [{ outcome: FRAME, says: place === undefined ? 'met' : 'not met', text }];
}
