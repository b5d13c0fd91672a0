/** Finds the run that a name refers to, and describes the alternatives when there is none. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { HarnessError } from '../../errors.ts';
import { isDeviceName } from '../../disk/confine.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { isRunId, type FoundRun } from './find-runs.ts';

/** The run with that id, or the only one whose id begins so. */
export function pickRun(run: string, runs: readonly FoundRun[]): FoundRun | undefined {
  if (run === '') return undefined;
  const exact = runs.filter(({ id }) => id === run);
  const candidates = exact.length > 0 ? exact : runs.filter(({ id }) => id.startsWith(run));
  if (candidates.length <= 1) return candidates[0];
  const dirs = candidates.map(({ dir }) => dir);
  throw new HarnessError(
    'not_found',
    `${run} could be ${formatFirstTen(dirs)}: name one of them by its whole id or its path.`,
    {
      details: { run, candidates: dirs.slice(0, 20) },
    },
  );
}

/** `ids` of all runs, newest first. */
export function noSuchRun(run: string, ids: readonly string[]): never {
  const there =
    ids.length === 0 ? 'There are no runs yet: tandem run <scenario> starts one.' : `There are ${formatFirstTen(ids)}.`;
  throw new HarnessError('not_found', `No run is named ${JSON.stringify(run)}. ${there}`, { details: { run } });
}

/** The file that earlier versions put in the place of an ended run. */
export function getArchivePath(dir: string): string {
  return `${dir}.tar.gz`;
}

/** Contract: `not_found` says how an archive of one of these folders becomes a run again. */
export function refuseArchived(dirs: readonly string[]): void {
  const file = dirs
    .map((dir) => (dir.endsWith('.tar.gz') ? dir : getArchivePath(dir)))
    .find((path) => existsSync(path));
  if (file === undefined) return;
  const message = `${file} is a run that an earlier version archived. Unpack it: tar -xzf ${file} -C ${dirname(file)} --exclude archive.json`;
  throw new HarnessError('not_found', message, { details: { file } });
}

/** Checks the id of a new run; old runs are found under any name. */
export function refuseBadId(id: string): void {
  if (!isRunId(id)) throw badId(id);
  if (isDeviceName(id))
    throw new HarnessError('usage', `${JSON.stringify(id)} cannot name a run: it is a device on Windows.`);
}

export function badId(id: string): HarnessError {
  return new HarnessError(
    'usage',
    `${JSON.stringify(id)} cannot name a run: expected letters, digits, dashes, at most 100.`,
  );
}

export type TakenId = {
  where: string;
  /** False for a run without a first event, which cannot be continued. */
  isBegun: boolean;
  details?: { dir: string };
  cause?: unknown;
};

/** Creates the error for an id that is taken, with the way out. */
export function takenId(id: string, { where, isBegun, details, cause }: TakenId): HarnessError {
  const [what, next] = isBegun
    ? [`exists already`, `choose another id, or tandem resume ${id}`]
    : [
        'has no first event: it is being made, or who made it was killed',
        `choose another id, or begin it there: tandem run <scenario> --id ${id} --continue`,
      ];
  return new HarnessError('usage', `A run ${id} (${where}) ${what}: ${next}.`, omitUndefined({ details, cause }));
}

function formatFirstTen(names: readonly string[]): string {
  const rest = names.length - 10;
  return `${names.slice(0, 10).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
