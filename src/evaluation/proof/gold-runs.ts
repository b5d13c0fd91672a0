/** Gold paths as they were played: the calls with which evidence begins, suspicions of tools, and how places are read in both. */
import { arePointersNested } from '../../scenario/attribution/deciding-moment.ts';
import { createProblem } from '../../scenario/attribution/problem-code.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';
import type { Problem, StateDifference } from '../../scenario/result.ts';
import type { FormatSpec } from '../../scenario/design.ts';
import type { TrialCall, TrialRecord } from '../components/trial-record.ts';
import { getComponentPath, type ComponentPaths } from '../components/components.ts';
import { describeCall } from '../judge/judge-expectation.ts';

/** A played gold path, how its end differs from the expected one, and whether a checker rejects it too. */
export type GoldRun = {
  sample: string;
  gold: TrialRecord;
  differences: readonly StateDifference[];
  rejected: boolean;
  /** The reasons of the checkers that reject a gold path whose end is free. */
  reasons?: readonly string[];
  /** Its checkers reject the end that the tools made and accept the expected one. */
  isSeconded?: boolean;
};

export type Suspicion = { problem: Problem; samples: string[] };

export type GoldEvidence = { failing: readonly GoldRun[]; runs: readonly GoldRun[]; format: FormatSpec };

/** True when, among the called tools, this one alone names the place in its purpose. */
export function isMeantFor(
  { tool, path }: { tool: string; path: string },
  gold: TrialRecord,
  format: FormatSpec,
): boolean {
  const called = format.tools.filter(({ name }) => listToolCalls(gold, name).length > 0);
  const meant = called.filter(({ purpose }) =>
    purpose
      .toLowerCase()
      .match(/[a-z]{3,}/g)
      ?.includes(nameIn(path)),
  );
  return meant.length === 1 && meant[0]?.name === tool;
}

/** The last call that wrote at the place, below it or above it. */
export function findWriter({ calls }: Pick<TrialRecord, 'calls'>, path: string): TrialCall | undefined {
  return calls.findLast(({ change }) => change.some((one) => arePointersNested(one.path, path)));
}

/** Undefined where no gold path speaks against the tool. */
export function createSuspicion(tool: string, message: string, runs: readonly GoldRun[]): Suspicion | undefined {
  if (runs.length === 0) return undefined;
  const samples = runs.map(({ sample }) => sample);
  const [first] = runs.flatMap(({ differences, ...run }) => differences.map((one) => ({ ...run, ...one })));
  const writer = first && findWriter(first.gold, first.path);
  const wrote = writer === undefined ? '' : `, written by ${describeAnswer(writer)}`;
  const example = first === undefined ? '' : ` (${first.sample}: ${first.path} is not as expected${wrote})`;
  const text = `tools/${tool}: ${message}: ${samples.length} gold paths end wrong${example}: ${samples.join(', ')}`;
  return { problem: createProblem('tool-suspect', tool, text), samples };
}

export function listToolCalls(gold: TrialRecord, tool: string): TrialCall[] {
  return gold.calls.filter((call) => call.tool === tool && !call.is_error);
}

export function listWrites(gold: TrialRecord, tool: string): string[] {
  return listToolCalls(gold, tool).flatMap(({ change }) => change.map(({ path }) => path));
}

/** Masks the ids in a path, so that `/orders/HW-2041/cases/0` equals the same place in every other order. */
export function maskIds(path: string): string {
  return path
    .split('/')
    .map((segment) => (/\d/.test(segment) ? '*' : segment))
    .join('/');
}

/** Returns `stock` for `/items/HW-7/stock`. */
export function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).toLowerCase();
}

export function getParentPath(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

export function listLeafValues(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(listLeafValues);
  return isJsonObject(value) ? Object.values(value).flatMap(listLeafValues) : [value];
}

const MOST_CALLS = 2;
const MAX_ANSWER = 200;

/** True for a call that its tool answered with a refusal, as tools do: `{ok: false, error: …}`. */
export function isRefused({ output, is_error, error }: TrialCall): boolean {
  return error === undefined && (is_error || (isJsonObject(output) && output['ok'] === false));
}

/** `step 2: switch_lamp {"id":"hall"} answered {"ok":false}` */
export function describeAnswer(call: TrialCall): string {
  const answer = JSON.stringify(call.output) ?? 'nothing';
  return `${describeCall(call)} answered ${answer.length > MAX_ANSWER ? `${answer.slice(0, MAX_ANSWER - 1)}…` : answer}`;
}

/** Describes these calls with their files, to stand before what they led to; empty where no call decides. */
export function describeDecisiveCalls(
  { calls }: TrialRecord,
  differences: readonly StateDifference[],
  paths: ComponentPaths | undefined,
): string {
  const writers = differences.map(({ path }) => findWriter({ calls }, path));
  const found = new Set([...calls.filter(isRefused), ...writers].filter((call) => call !== undefined));
  return [...found]
    .slice(0, MOST_CALLS)
    .map((call) => `${getComponentPath(paths, 'tools', call.tool)}: ${describeAnswer(call)}; `)
    .join('');
}
