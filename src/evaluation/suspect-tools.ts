/** Tools that nothing went wrong in and that yet did the wrong thing: found by the gold paths that end otherwise than expected. */
import { isJsonObject, sameJson, type JsonObject } from '../scenario/json-value.ts';
import { problem } from '../scenario/problem-code.ts';
import type { Problem, StateDifference } from '../scenario/result.ts';
import type { FormatSpec } from '../scenario/design.ts';
import type { Played, PlayedCall } from './played.ts';

/** A gold path as it was played, and how its end differs from the expected one. */
export type GoldRun = { sample: string; gold: Played; differences: readonly StateDifference[] };

export type Suspicion = { problem: Problem; samples: string[] };

/**
 * One wrong sample is the sample's own fault. A tool is suspected when it never changes anything although it should, or
 * when at least two samples end wrong where it wrote something that it was not given, and none ends right where it wrote.
 */
export function suspectTools(
  runs: readonly GoldRun[],
  format: FormatSpec,
  changedByExamples: ReadonlySet<string>,
): Suspicion[] {
  const failing = runs.filter(({ differences }) => differences.length > 0);
  return format.tools
    .filter((tool) => tool.changes_world)
    .flatMap(({ name }) => idle(name, failing, runs, changedByExamples) ?? inventive(name, failing, runs) ?? []);
}

function idle(
  tool: string,
  failing: readonly GoldRun[],
  runs: readonly GoldRun[],
  changedByExamples: ReadonlySet<string>,
): Suspicion | undefined {
  const called = failing.filter(({ gold }) => callsOf(gold, tool).length > 0);
  const changes = runs.some(({ gold }) => callsOf(gold, tool).some(({ change }) => change.length > 0));
  if (called.length === 0 || changes || changedByExamples.has(tool)) return undefined;
  const message = 'it changes nothing on any example or gold path, and format_spec.yaml says changes_world: true';
  return suspicion(tool, message, called);
}

function inventive(tool: string, failing: readonly GoldRun[], runs: readonly GoldRun[]): Suspicion | undefined {
  const blamed = failing.filter((run) => run.differences.some((difference) => hasInvented(run, difference, tool)));
  const isRight = runs.some(
    ({ gold, differences }) => differences.length === 0 && callsOf(gold, tool).some(({ change }) => change.length > 0),
  );
  if (blamed.length < 2 || isRight) return undefined;
  return suspicion(tool, 'what it writes is not what is expected, and it was not given it', blamed);
}

function suspicion(tool: string, message: string, runs: readonly GoldRun[]): Suspicion {
  const samples = runs.map(({ sample }) => sample);
  const [first] = runs.flatMap(({ sample, differences }) => differences.map((one) => ({ sample, ...one })));
  const example = first === undefined ? '' : ` (${first.sample}: ${first.path} is not as expected)`;
  const text = `tools/${tool}: ${message}: ${samples.length} gold paths end wrong${example}: ${samples.join(', ')}`;
  return { problem: problem('tool-suspect', tool, text), samples };
}

/** The tool wrote there, last of all, something that stands neither in its input nor in the world it was given. */
function hasInvented({ gold }: GoldRun, { path, got }: StateDifference, tool: string): boolean {
  const writer = gold.calls.findLast(({ change }) => change.some((one) => overlaps(one.path, path)));
  if (writer?.tool !== tool || got === undefined) return false;
  return leavesOf(got).some((leaf) => !holds(writer.input, leaf) && !holds(gold.before, leaf));
}

function callsOf(gold: Played, tool: string): PlayedCall[] {
  return gold.calls.filter((call) => call.tool === tool && !call.is_error);
}

function overlaps(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

function leavesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return isJsonObject(value) ? Object.values(value).flatMap(leavesOf) : [value];
}

function holds(value: JsonObject, leaf: unknown): boolean {
  return leavesOf(value).some((one) => sameJson(one, leaf));
}
