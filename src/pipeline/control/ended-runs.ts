/** Lists runs that may be deleted: ended for good, old enough, and referred to by nobody. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isHarnessError } from '../../errors.ts';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import { parseOrNone } from '../../disk/parse-file.ts';
import type { ReadDeps } from '../../ports/run-store.ts';
import { Baseline } from '../../scenario/statistics/compare-baseline.ts';
import { openRunIndex } from '../../run-folder/run-index.ts';
import { openSnapshot } from '../../run-folder/snapshot.ts';

export type EndedRunsFilter = { olderThanMs: number; scenarios?: readonly string[]; states?: readonly string[] };
export type EndedRun = { id: string; scenario: string; dir: string; status: string; endedAt: string };

/** Lists folders, oldest first. A rejection that can still be taken back has not ended the run. */
async function listEndedFolders(filter: EndedRunsFilter, { store, clock }: ReadDeps): Promise<EndedRun[]> {
  const { runs } = await openRunIndex(store).look();
  const over = runs.filter(({ isOver, scenario }) => isOver && (filter.scenarios?.includes(scenario) ?? true));
  const found: EndedRun[] = [];
  for (const { id, scenario, dir } of over) {
    try {
      const { state, events } = await openSnapshot(store.at({ id, scenario, dir }));
      const ended = { id, scenario, dir, status: state.status, endedAt: events.at(-1)?.ts ?? state.origin.at };
      const isOldEnough = clock.now().getTime() - Date.parse(ended.endedAt) >= filter.olderThanMs;
      if (isOldEnough && (filter.states?.includes(ended.status) ?? true)) found.push(ended);
    } catch (error) {
      // A run that cannot be read stays where it is; tandem upgrade-check names it.
      if (!isHarnessError(error)) throw error;
    }
  }
  return found.toSorted((one, other) => (one.endedAt < other.endedAt ? -1 : 1));
}

type PrunableRuns = Record<'runs' | 'blessed' | 'unseen', EndedRun[]>;

/**
 * Lists the folders that may be deleted; a blessed run stays, because later ones are compared with it.
 * `unseen` runs have no scenario on this machine, so it is unknown which of them is blessed.
 */
export async function listPrunable(filter: EndedRunsFilter, deps: ReadDeps): Promise<PrunableRuns> {
  const blessedOf = new Map<string, string | undefined>();
  const kinds: PrunableRuns = { runs: [], blessed: [], unseen: [] };
  for (const run of await listEndedFolders(filter, deps)) {
    const { around } = deps.store.at(run);
    const scenario = around === undefined ? dirname(dirname(run.dir)) : around.dir;
    if (scenario !== undefined && !blessedOf.has(scenario)) blessedOf.set(scenario, await findBlessedRun(scenario));
    const kind = scenario === undefined ? 'unseen' : blessedOf.get(scenario) === run.id ? 'blessed' : 'runs';
    kinds[kind].push(run);
  }
  return kinds;
}

async function findBlessedRun(scenarioDir: string): Promise<string | undefined> {
  const text = await valueOnErrno('ENOENT', undefined, readFile(join(scenarioDir, 'baseline.json'), 'utf8'));
  return text === undefined ? undefined : parseOrNone(Baseline, text)?.run;
}
