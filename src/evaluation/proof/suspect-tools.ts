/** Tools that do the wrong thing without failing: found by gold paths that do not end as expected. */
import { isJsonObject, sameJson, type JsonObject } from '../../scenario/json/json-value.ts';
import { arePointersNested } from '../../scenario/attribution/deciding-moment.ts';
import { createProblem } from '../../scenario/attribution/problem-code.ts';
import type { Problem, StateDifference } from '../../scenario/result.ts';
import type { FormatSpec } from '../../scenario/design.ts';
import type { TrialRecord, TrialCall } from '../components/trial-record.ts';
import { describeAnswer, isRefused } from './decisive-call.ts';

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

/**
 * One wrong sample is the sample's own fault. A tool is suspected in seven cases. It never changes anything although it
 * should. One call of it writes the same record twice where one is expected. It refuses a call that gold and a checker
 * want. At least two samples end wrong where it wrote something that it was not given, and none ends right there.
 * One sample does, and a checker rejects it too, or the approved design names that place in the purpose of this tool. A
 * sample ends wrong next to what it wrote, and a checker rejects it too. A sample ends wrong at a place that no tool wrote,
 * and the approved design names that place in the purpose of this tool.
 */
export function suspectTools(
  runs: readonly GoldRun[],
  format: FormatSpec,
  changedByExamples: ReadonlySet<string>,
): Suspicion[] {
  const failing = runs.filter(({ differences }) => differences.length > 0);
  const rejected = runs.filter((run) => run.rejected && (run.differences.length > 0 || run.reasons !== undefined));
  return format.tools
    .filter((tool) => tool.changes_world)
    .flatMap(
      ({ name }) =>
        (changedByExamples.has(name) ? undefined : findIdle(name, failing, runs)) ??
        findRepeating(name, failing) ??
        findRefusing(name, rejected) ??
        findInventing(name, { failing, runs, format }) ??
        findIncompleteWrites(name, failing) ??
        findMissingWrites(name, { failing, runs, format }) ??
        [],
    );
}

function findIdle(tool: string, failing: readonly GoldRun[], runs: readonly GoldRun[]): Suspicion | undefined {
  const called = failing.filter(({ gold }) => listToolCalls(gold, tool).length > 0);
  const changes = runs.some(({ gold }) => listToolCalls(gold, tool).some(({ change }) => change.length > 0));
  if (called.length === 0 || changes) return undefined;
  const message = 'it changes nothing on any example or gold path, and format_spec.yaml says changes_world: true';
  return createSuspicion(tool, message, called);
}

/** One call adds the same record twice, and the second is where the end is wrong. */
function findRepeating(tool: string, failing: readonly GoldRun[]): Suspicion | undefined {
  const blamed = failing.filter(({ gold, differences }) =>
    listToolCalls(gold, tool).some(({ change }) =>
      change.some(
        (one, index) =>
          one.op === 'add' &&
          isJsonObject(one.value) &&
          change.slice(0, index).some((first) => first.op === 'add' && sameJson(first.value, one.value)) &&
          differences.some(({ path, expected }) => path === one.path && expected === undefined),
      ),
    ),
  );
  return blamed.length === 0 ? undefined : createSuspicion(tool, 'one call of it writes the same record twice', blamed);
}

/** A call of the gold path is refused, and both the expected end and a checker want its effect. */
function findRefusing(tool: string, rejected: readonly GoldRun[]): Suspicion | undefined {
  const found = rejected.flatMap((run) =>
    run.gold.calls
      .filter((call) => call.tool === tool && isRefused(call) && isWantedCall(call, run))
      .map((call) => ({ run, call })),
  );
  const [first] = found;
  if (first === undefined) return undefined;
  const message = `it refuses a call that a gold path and a checker want: ${describeAnswer(first.call)}`;
  return createSuspicion(tool, message, [...new Set(found.map(({ run }) => run))]);
}

/** Compares amounts: gold that asks for another number than its own end or its checkers name may rightly be refused. */
function isWantedCall({ input }: TrialCall, { differences, reasons = [] }: GoldRun): boolean {
  const steps = differences.flatMap(({ expected, got }) =>
    typeof expected === 'number' && typeof got === 'number' ? [expected - got, got - expected] : [],
  );
  const said = reasons.flatMap((reason) => reason.match(/\d+(?:\.\d+)?/g) ?? []).map(Number);
  const wanted = new Set([...listLeafValues(differences.map(({ expected }) => expected)), ...steps, ...said]);
  const given = listLeafValues(input).filter((leaf) => typeof leaf === 'number');
  return given.every((leaf) => wanted.has(leaf)) || ![...wanted].some((leaf) => typeof leaf === 'number');
}

function findInventing(tool: string, { failing, runs, format }: GoldEvidence): Suspicion | undefined {
  const found = failing.flatMap((run) =>
    run.differences.filter((difference) => hasInvented(run, difference, tool)).map(({ path }) => ({ run, path })),
  );
  const blamed = [...new Set(found.map(({ run }) => run))];
  const right = runs.filter(({ differences }) => differences.length === 0);
  const isRight = right.some(({ gold }) =>
    listWrites(gold, tool).some((write) => found.some(({ path }) => arePointersNested(maskIds(path), maskIds(write)))),
  );
  const isSeconded = found.some(({ run, path }) => run.rejected || isMeantFor({ tool, path }, run.gold, format));
  // A tool that is right in other gold paths may be wrong in one branch: then a checker must say where the right end is.
  if (blamed.length === 0 || (blamed.length === 1 && !isSeconded)) return undefined;
  if (isRight && !blamed.every((run) => run.isSeconded)) return undefined;
  return createSuspicion(tool, 'what it writes is not what is expected, and it was not given it', blamed);
}

function findIncompleteWrites(tool: string, failing: readonly GoldRun[]): Suspicion | undefined {
  const blamed = failing.filter(({ gold, differences, rejected }) => {
    const written = gold.calls.flatMap(({ change }) => change.map(({ path }) => path));
    const parents = new Set(listWrites(gold, tool).map(getParentPath));
    return (
      rejected &&
      differences.every(
        ({ path }) => parents.has(getParentPath(path)) && !written.some((one) => arePointersNested(one, path)),
      )
    );
  });
  return blamed.length === 0
    ? undefined
    : createSuspicion(tool, 'it leaves undone what belongs to what it does', blamed);
}

type GoldEvidence = { failing: readonly GoldRun[]; runs: readonly GoldRun[]; format: FormatSpec };

function findMissingWrites(tool: string, { failing, runs, format }: GoldEvidence): Suspicion | undefined {
  const blamed = failing.filter(({ gold, differences }) =>
    differences.every(({ path }) => {
      const isWritten = gold.calls.some(({ change }) => change.some((one) => arePointersNested(one.path, path)));
      return isMeantFor({ tool, path }, gold, format) && !isWritten;
    }),
  );
  const places = new Set(blamed.flatMap(({ differences }) => differences.map(({ path }) => maskIds(path))));
  const doesIt = runs.some(({ gold }) => listWrites(gold, tool).some((write) => places.has(maskIds(write))));
  if (blamed.length === 0 || doesIt) return undefined;
  return createSuspicion(tool, 'it never writes what format_spec.yaml names in its purpose', blamed);
}

/** True when, among the called tools, this one alone names the place in its purpose. */
function isMeantFor({ tool, path }: { tool: string; path: string }, gold: TrialRecord, format: FormatSpec): boolean {
  const called = format.tools.filter(({ name }) => listToolCalls(gold, name).length > 0);
  const meant = called.filter(({ purpose }) => collectWords(purpose).has(nameIn(path)));
  return meant.length === 1 && meant[0]?.name === tool;
}

function createSuspicion(tool: string, message: string, runs: readonly GoldRun[]): Suspicion {
  const samples = runs.map(({ sample }) => sample);
  const [first] = runs.flatMap(({ sample, differences }) => differences.map((one) => ({ sample, ...one })));
  const writer = runs
    .find(({ sample }) => sample === first?.sample)
    ?.gold.calls.findLast(({ change }) =>
      change.some(({ path }) => first !== undefined && arePointersNested(path, first.path)),
    );
  const wrote = writer === undefined ? '' : `, written by ${describeAnswer(writer)}`;
  const example = first === undefined ? '' : ` (${first.sample}: ${first.path} is not as expected${wrote})`;
  const text = `tools/${tool}: ${message}: ${samples.length} gold paths end wrong${example}: ${samples.join(', ')}`;
  return { problem: createProblem('tool-suspect', tool, text), samples };
}

/**
 * The tool was the last to write there, and wrote something that is neither in its input nor in the start world; where a
 * checker names the right end, it need only differ from its input.
 */
function hasInvented({ gold, isSeconded = false }: GoldRun, { path, got }: StateDifference, tool: string): boolean {
  const writer = gold.calls.findLast(({ change }) => change.some((one) => arePointersNested(one.path, path)));
  if (writer?.tool !== tool || got === undefined) return false;
  return listLeafValues(got).some(
    (leaf) => !containsLeaf(writer.input, leaf) && (isSeconded || !containsLeaf(gold.before, leaf)),
  );
}

function listToolCalls(gold: TrialRecord, tool: string): TrialCall[] {
  return gold.calls.filter((call) => call.tool === tool && !call.is_error);
}

function listWrites(gold: TrialRecord, tool: string): string[] {
  return listToolCalls(gold, tool).flatMap(({ change }) => change.map(({ path }) => path));
}

/** Masks the ids in a path, so that `/orders/HW-2041/cases/0` equals the same place in every other order. */
function maskIds(path: string): string {
  return path
    .split('/')
    .map((segment) => (/\d/.test(segment) ? '*' : segment))
    .join('/');
}

/** Returns `stock` for `/items/HW-7/stock`. */
function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).toLowerCase();
}

function collectWords(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[a-z]{3,}/g));
}

function getParentPath(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function listLeafValues(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(listLeafValues);
  return isJsonObject(value) ? Object.values(value).flatMap(listLeafValues) : [value];
}

function containsLeaf(value: JsonObject, leaf: unknown): boolean {
  return listLeafValues(value).some((one) => sameJson(one, leaf));
}
