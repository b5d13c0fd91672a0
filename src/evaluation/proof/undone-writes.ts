/** Tools that leave undone what gold paths want of them: beside what they write, throughout, or by their purpose. */
import { arePointersNested } from '../../scenario/attribution/deciding-moment.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';
import { isRefused } from './decisive-call.ts';
import {
  createSuspicion,
  getParentPath,
  isMeantFor,
  listToolCalls,
  listWrites,
  maskIds,
  type GoldEvidence,
  type GoldRun,
  type Suspicion,
} from './gold-runs.ts';

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
  return blamed.length === 0
    ? undefined
    : createSuspicion(tool, 'it leaves undone what belongs to what it does', blamed);
}

/**
 * In at least two gold paths, in all that call the tool with success and in no other, the same place stays as it was, and the
 * tool writes beside it, or is the only one that changes something in all of them.
 */
export function findUndoneWrites(tool: string, { failing, runs, format }: GoldEvidence): Suspicion | undefined {
  const calling = runs.filter(({ gold }) => listToolCalls(gold, tool).some((call) => !isRefused(call)));
  const idle = (run: GoldRun): string[] =>
    run.differences
      .filter(
        ({ path }) => !run.gold.calls.some(({ change }) => change.some((one) => arePointersNested(one.path, path))),
      )
      .map(({ path }) => maskIds(path));
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
