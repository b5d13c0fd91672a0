/** Which runs may be put away: only those that have ended for good, are old enough, and that nobody refers to. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isHarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import { parseOrNone } from '../../disk/parse-file.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';
import type { AboutRun } from '../../ports/run-store.ts';
import { Baseline } from '../../scenario/statistics/compare-baseline.ts';
import type { RunSnapshot } from '../../run/snapshot.ts';
import { openRunIndex } from '../../run-folder/run-index.ts';
import { openSnapshot } from '../../run-folder/snapshot.ts';

export type EndedRunsFilter = { olderThanMs: number; scenarios?: readonly string[]; states?: readonly string[] };
export type EndedRun = { id: string; scenario: string; dir: string; about: AboutRun };

/** Folders, oldest first. A rejection that can still be taken back is no end. */
export async function endedFolders(filter: EndedRunsFilter, { store, clock }: ReadDeps): Promise<EndedRun[]> {
  const { runs } = await openRunIndex(store).look();
  const over = runs.filter(({ isOver, scenario }) => isOver && (filter.scenarios?.includes(scenario) ?? true));
  const found: EndedRun[] = [];
  for (const { id, scenario, dir } of over) {
    try {
      const about = aboutRun(await openSnapshot(store.at({ id, scenario, dir })));
      if (fits(about, filter, clock.now())) found.push({ id, scenario, dir, about });
    } catch (error) {
      // One that cannot be read is left where it is; tandem upgrade-check names it.
      if (!isHarnessError(error)) throw error;
    }
  }
  return found.toSorted(oldestFirst);
}

/**
 * Of folders and archives alike, those that may be deleted; a blessed run is what later ones are held to. `unseen`: whose
 * scenario is not on this machine, so that nobody knows here which is blessed.
 */
export async function prunable(
  filter: EndedRunsFilter,
  deps: ReadDeps,
): Promise<{ runs: EndedRun[]; blessed: EndedRun[]; unseen: EndedRun[] }> {
  const archived = (await deps.store.archived()).filter(
    ({ about, scenario }) => fits(about, filter, deps.clock.now()) && (filter.scenarios?.includes(scenario) ?? true),
  );
  const all = [...(await endedFolders(filter, deps)), ...archived].toSorted(oldestFirst);
  const blessedOf = new Map<string, string | undefined>();
  const kinds = { runs: [] as EndedRun[], blessed: [] as EndedRun[], unseen: [] as EndedRun[] };
  for (const run of all) {
    const { around } = deps.store.at(run);
    const scenario = around === undefined ? dirname(dirname(run.dir)) : around.dir;
    if (scenario !== undefined && !blessedOf.has(scenario)) blessedOf.set(scenario, await blessedRun(scenario));
    const kind = scenario === undefined ? 'unseen' : blessedOf.get(scenario) === run.id ? 'blessed' : 'runs';
    kinds[kind].push(run);
  }
  return kinds;
}

async function blessedRun(scenarioDir: string): Promise<string | undefined> {
  const text = await valueOnErrno('ENOENT', undefined, readFile(join(scenarioDir, 'baseline.json'), 'utf8'));
  return text === undefined ? undefined : parseOrNone(Baseline, text)?.run;
}

function aboutRun({ state, events }: RunSnapshot): AboutRun {
  return omitUndefined({
    createdAt: state.origin.at,
    endedAt: events.at(-1)?.ts ?? state.origin.at,
    status: state.status,
    round: state.round,
    iteration: state.iteration,
    successRate: state.iterations.at(-1)?.successRate,
  });
}

function fits({ endedAt, status }: AboutRun, { olderThanMs, states }: EndedRunsFilter, now: Date): boolean {
  return now.getTime() - Date.parse(endedAt) >= olderThanMs && (states?.includes(status) ?? true);
}

function oldestFirst(one: EndedRun, other: EndedRun): number {
  return one.about.endedAt < other.about.endedAt ? -1 : 1;
}
