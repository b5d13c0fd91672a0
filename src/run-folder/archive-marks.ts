/** Marks of archived runs: lists leave them out, and everything that names such a run finds it as before. */
import type { RunStore } from '../ports/run-store.ts';
import type { SharedFiles } from '../ports/shared-files.ts';
import { getRunIndex, type IndexedRun } from './run-index.ts';

const FOLDER = 'scenarios/.archived';

type MarkedRun = Pick<IndexedRun, 'scenario' | 'id' | 'startedAt'>;

function toMarkPath({ scenario, id }: MarkedRun): string {
  return `${scenario}/${id}`;
}

/** Returns false when it was archived before. The start is written, so that the mark holds for no later run of that name. */
export async function archiveRun(shared: SharedFiles, run: MarkedRun): Promise<boolean> {
  const path = `${FOLDER}/${toMarkPath(run)}`;
  if ((await shared.read(path)) === run.startedAt) return false;
  await shared.write(path, run.startedAt);
  return true;
}

/** Returns false when it was not archived. */
export function unarchiveRun(shared: SharedFiles, run: MarkedRun): Promise<boolean> {
  return shared.take(`${FOLDER}/${toMarkPath(run)}`, run.startedAt);
}

/** Lists the folders of archived runs; where there are none, no run is looked at. */
export async function listArchived({ store, shared }: { store: RunStore; shared: SharedFiles }): Promise<Set<string>> {
  const marks = await shared.list(FOLDER);
  const runs = marks.size === 0 ? [] : (await getRunIndex(store).look()).runs;
  return new Set(runs.flatMap((run) => (marks.get(toMarkPath(run)) === run.startedAt ? [run.dir] : [])));
}
