/** Tools that do the wrong thing without failing: found by gold paths that do not end as expected. */
import { isJsonObject, sameJson } from '../../scenario/json/json-value.ts';
import { arePointersNested } from '../../scenario/attribution/deciding-moment.ts';
import type { StateDifference } from '../../scenario/result.ts';
import type { FormatSpec } from '../../scenario/design.ts';
import type { TrialCall } from '../components/trial-record.ts';
import {
  describeAnswer,
  isRefused,
  createSuspicion,
  findWriter,
  isMeantFor,
  listLeafValues,
  listToolCalls,
  listWrites,
  maskIds,
  nameIn,
  type GoldEvidence,
  type GoldRun,
  type Suspicion,
  getParentPath,
} from './gold-runs.ts';

/**
 * One wrong sample is the sample's own fault. A tool is suspected in nine cases. It never changes anything although it
 * should. One call of it writes the same record twice where one is expected. It refuses a call that gold and a checker
 * want. At least two samples end wrong where it wrote something that it was not given, and none ends right there.
 * One sample does, and a checker rejects it too, or the approved design names that place in the purpose of this tool. A
 * sample ends wrong next to what it wrote, and a checker rejects it too. A sample ends wrong at a place that no tool wrote,
 * and the approved design names that place in the purpose of this tool. A field is not what the call was given. All gold
 * paths with the tool leave the same place undone.
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
        findMisbooking(name, failing) ??
        findInventing(name, { failing, runs, format }) ??
        findIncompleteWrites(name, failing) ??
        findMissingWrites(name, { failing, runs, format }) ??
        findUndoneWrites(name, { failing, runs, format }) ??
        [],
    );
}

function findIdle(tool: string, failing: readonly GoldRun[], runs: readonly GoldRun[]): Suspicion | undefined {
  const called = failing.filter(({ gold }) => listToolCalls(gold, tool).length > 0);
  const changes = runs.some(({ gold }) => listToolCalls(gold, tool).some(({ change }) => change.length > 0));
  if (changes) return undefined;
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
  return createSuspicion(tool, 'one call of it writes the same record twice', blamed);
}

/** A call of the gold path is refused, and both the expected end and a checker want its effect. */
function findRefusing(tool: string, rejected: readonly GoldRun[]): Suspicion | undefined {
  const found = rejected.flatMap((run) =>
    run.gold.calls
      .filter((call) => call.tool === tool && isRefused(call) && isWantedCall(call, run))
      .map((call) => ({ run, call })),
  );
  const [first] = found;
  const message = `it refuses a call that a gold path and a checker want: ${first && describeAnswer(first.call)}`;
  return createSuspicion(tool, message, [...new Set(found.map(({ run }) => run))]);
}

/** Compares amounts: gold that asks for another number than its own end or its checkers name may rightly be refused. */
function isWantedCall({ input }: TrialCall, { differences, reasons = [] }: GoldRun): boolean {
  const steps = differences.flatMap(({ expected, got }) =>
    typeof expected === 'number' && typeof got === 'number' ? [expected - got, got - expected] : [],
  );
  const said = reasons.flatMap((reason) => reason.match(/\d+(?:\.\d+)?/g) ?? []).map(Number);
  const wanted = new Set([...listLeafValues(differences.map(({ expected }) => expected)), ...steps, ...said]);
  // A small number counts things, or chooses between them.
  const given = listLeafValues(input).filter((leaf) => typeof leaf === 'number' && Math.abs(leaf) >= 10);
  return given.every((leaf) => wanted.has(leaf)) || ![...wanted].some((leaf) => typeof leaf === 'number');
}

/** A field is not what the call was given under that name, and gold's own end wants just that. */
function findMisbooking(tool: string, failing: readonly GoldRun[]): Suspicion | undefined {
  const blamed = failing.filter(({ gold, differences }) =>
    differences.some(({ path, expected, got }) => {
      const writer = findWriter(gold, path);
      const given = writer?.tool === tool ? writer.input[nameIn(path)] : undefined;
      return given !== undefined && sameJson(given, expected) && got !== undefined;
    }),
  );
  return createSuspicion(tool, 'it does not write what it was given under that name', blamed);
}

function findInventing(tool: string, { failing, runs, format }: GoldEvidence): Suspicion | undefined {
  const found = failing.flatMap((run) =>
    run.differences
      .filter((difference) => hasInvented(run, difference, tool) && !isAskedOtherwise(run, difference))
      .map(({ path }) => ({ run, path })),
  );
  const blamed = [...new Set(found.map(({ run }) => run))];
  const right = runs.filter(({ differences }) => differences.length === 0);
  const isRight = right.some(({ gold }) =>
    listWrites(gold, tool).some((write) => found.some(({ path }) => arePointersNested(maskIds(path), maskIds(write)))),
  );
  const isSeconded = found.some(({ run, path }) => run.rejected || isMeantFor({ tool, path }, run.gold, format));
  // A tool that is right in other gold paths may be wrong in one branch: then a checker must say where the right end is.
  if (blamed.length === 1 && !isSeconded) return undefined;
  if (isRight && !blamed.every((run) => run.isSeconded)) return undefined;
  return createSuspicion(tool, 'what it writes is not what is expected, and it was not given it', blamed);
}

/**
 * The tool was the last to write there, and wrote something that is neither in its input nor in the start world; where a
 * checker names the right end, it need only differ from its input.
 */
function hasInvented({ gold, isSeconded = false }: GoldRun, { path, got }: StateDifference, tool: string): boolean {
  const writer = findWriter(gold, path);
  if (writer?.tool !== tool || got === undefined) return false;
  const known = listLeafValues(isSeconded ? writer.input : [writer.input, gold.before]);
  return listLeafValues(got).some((leaf) => !known.some((one) => sameJson(one, leaf)));
}

/** Gold's call names the record that it wrote, and the same place of another record was to change: gold asks wrongly. */
function isAskedOtherwise({ gold, differences }: GoldRun, { path }: StateDifference): boolean {
  const writer = findWriter(gold, path);
  const given = new Set(listLeafValues(writer?.input).map((one) => String(one).toLowerCase()));
  const isGiven = (place: string): boolean => place.split('/').some((key) => given.has(key.toLowerCase()));
  return isGiven(path) && differences.some((one) => maskIds(one.path) === maskIds(path) && !isGiven(one.path));
}

export function findIncompleteWrites(tool: string, failing: readonly GoldRun[]): Suspicion | undefined {
  const blamed = failing.filter(({ gold, differences, rejected }) => {
    // Each call adds a record of its own: where one is lacking, gold lacks a call.
    const isOtherCall = differences.some(
      ({ path, expected, got }) =>
        got === undefined &&
        isJsonObject(expected) &&
        listToolCalls(gold, tool).some(({ change }) =>
          change.some((one) => one.op === 'add' && getParentPath(one.path) === getParentPath(path)),
        ),
    );
    if (isOtherCall) return false;
    const written = gold.calls.flatMap(({ change }) => change.map(({ path }) => path));
    const parents = new Set(listWrites(gold, tool).map(getParentPath));
    return (
      rejected &&
      differences.every(
        ({ path }) => parents.has(getParentPath(path)) && !written.some((one) => arePointersNested(one, path)),
      )
    );
  });
  return createSuspicion(tool, 'it leaves undone what belongs to what it does', blamed);
}

/**
 * In at least two gold paths, in all that call the tool with success and in no other, the same place stays as it was, and the
 * tool writes beside it, or is the only one that changes something in all of them.
 */
export function findUndoneWrites(tool: string, { failing, runs, format }: GoldEvidence): Suspicion | undefined {
  const calling = runs.filter(({ gold }) => listToolCalls(gold, tool).some((call) => !isRefused(call)));
  const idle = (run: GoldRun): string[] =>
    run.differences.filter(({ path }) => findWriter(run.gold, path) === undefined).map(({ path }) => maskIds(path));
  const places = calling
    .map(idle)
    .reduce((all, one) => all.filter((place) => one.includes(place)), calling.flatMap(idle));
  const [place] = places.filter(
    (one) =>
      !failing.some((run) => !calling.includes(run) && run.differences.some(({ path }) => maskIds(path) === one)),
  );
  if (place === undefined || calling.length < 2) return undefined;
  const isBeside = calling.some(({ gold }) =>
    listWrites(gold, tool).some((write) => getParentPath(maskIds(write)) === getParentPath(place)),
  );
  const isRival = (name: string): boolean => {
    const own = runs.filter(({ gold }) => listToolCalls(gold, name).length > 0);
    return calling.every((run) => own.includes(run)) && own.every((run) => idle(run).includes(place));
  };
  const rivals = format.tools.filter(({ name, changes_world }) => changes_world && name !== tool && isRival(name));
  if (!isBeside && rivals.length > 0) return undefined;
  return createSuspicion(tool, `it never writes ${place}, which every gold path with it wants`, calling);
}

export function findMissingWrites(tool: string, { failing, runs, format }: GoldEvidence): Suspicion | undefined {
  const blamed = failing.filter(({ gold, differences }) =>
    differences.every(({ path }) => isMeantFor({ tool, path }, gold, format) && findWriter(gold, path) === undefined),
  );
  const places = new Set(blamed.flatMap(({ differences }) => differences.map(({ path }) => maskIds(path))));
  const doesIt = runs.some(({ gold }) => listWrites(gold, tool).some((write) => places.has(maskIds(write))));
  if (doesIt) return undefined;
  return createSuspicion(tool, 'it never writes what format_spec.yaml names in its purpose', blamed);
}
