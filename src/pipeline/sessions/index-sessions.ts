/** Indexes ended runs in memory: when one ends, and later for all that were missed (S3.12). */
import { isHarnessError, describeError } from '../../errors.ts';
import type { Memory } from '../../ports/memory.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { sessionStatus } from '../../run/fold-session.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';
import { readAllTranscripts } from './read-sessions.ts';
import { toMemoryItems } from './session-items.ts';
import { readState } from '../../run-folder/snapshot.ts';

/** Resolves with how many items that were: none for a run that may still go on. */
export async function indexRun(run: RunFolder, memory: Memory): Promise<number> {
  const state = await readState(run);
  if (sessionStatus(state) !== 'done') return 0;
  const items = [...(await readAllTranscripts(run))].flatMap(([agent, entries]) =>
    toMemoryItems(entries, { run: run.id, agent, outcome: state.status }),
  );
  await memory.remember(items);
  return items.length;
}

export type IndexReport = {
  runs: number;
  items: number;
  forgotten: string[];
  unreadable: { run: string; why: string }[];
};

/**
 * Every ended run of the scenario that memory knows nothing of; what it knows of runs whose folder is gone is forgotten.
 * Cheap when there is nothing new: a journal is read only for an unknown run.
 */
export async function indexScenario(
  scenario: string,
  memory: Memory,
  { store }: Pick<ReadDeps, 'store'>,
): Promise<IndexReport> {
  const report: IndexReport = { runs: 0, items: 0, forgotten: [], unreadable: [] };
  const runs = (await store.list()).filter((run) => run.scenario === scenario);
  const there = new Set(runs.map(({ id }) => id));
  for (const id of await memory.runs()) {
    if (there.has(id)) continue;
    await memory.forget(id);
    report.forgotten.push(id);
  }
  const known = new Set(await memory.runs());
  for (const { id, dir } of runs) {
    if (known.has(id)) continue;
    try {
      const items = await indexRun(await store.open(dir), memory);
      report.items += items;
      report.runs += items > 0 ? 1 : 0;
    } catch (error) {
      if (!isHarnessError(error)) throw error;
      report.unreadable.push({ run: id, why: describeError(error) });
    }
  }
  return report;
}
