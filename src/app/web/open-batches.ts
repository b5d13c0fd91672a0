/** Lists batches for the review page; a row is rebuilt only when its run has changed. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { listBatches, readBatch, type BatchRun } from '../../batch/batch.ts';
import { batchState, batchRow, type BatchExits } from '../../batch/state.ts';
import type { ProjectDeps } from '../open-store.ts';
import type { RunStore } from '../../ports/run-store.ts';
import type { BatchRow } from '../../report/batch/summary.ts';
import type { Batches } from '../../web/web-deps.ts';

/** Exit codes are for commands; the page has none. */
const NO_EXITS: BatchExits = { of: () => 0, notStarted: 0, unreadable: 0, newer: 0 };
/** How long a row of a working run is cached, in milliseconds, because its spending appends no event. */
const WORKING_MS = 2000;
const WORKING: readonly BatchRow['status'][] = ['created', 'designing', 'executing'];
/** Maximum cached rows; above it the cache is cleared. */
const MAX_CACHED = 20_000;

type CachedBatch = { events: number; at: number; row: BatchRow };

export function openBatches(read: ProjectDeps): Batches {
  const { batches, store } = read;
  const cached = new Map<string, CachedBatch>();
  const reader = { ...read, exits: NO_EXITS };
  const row = async (entry: BatchRun, lengths: JournalLengths): Promise<BatchRow> => {
    const dir = await batches.dirOf(entry);
    const events = lengths.get(entry.run) ?? (await readdir(join(dir, 'events')).catch(() => [])).length;
    const known = cached.get(dir);
    if (known !== undefined && known.events === events && !isOld(known, read.clock.now().getTime())) return known.row;
    const made = await batchRow(entry, reader);
    if (cached.size >= MAX_CACHED) cached.clear();
    cached.set(dir, { events, at: read.clock.now().getTime(), row: made });
    return made;
  };
  return {
    list: async () =>
      Promise.all(
        (await listBatches(batches)).map(async (batch) => ({
          ...{ id: batch.id, createdAt: batch.createdAt, actor: batch.actor },
          runs: await Promise.all(batch.runs.map((run) => batches.dirOf(run))),
          scenarios: batch.runs.map(({ scenario }) => scenario),
        })),
      ),
    read: async (id) => {
      const batch = await readBatch(batches, id);
      const dirs = await Promise.all(batch.runs.map((run) => batches.dirOf(run)));
      const lengths = await knownLengths(store);
      return { summary: await batchState(batch, reader, (entry) => row(entry, lengths)), dirs };
    },
  };
}

/** The journal lengths of a store's runs by id; working copies here may hold fewer events. */
type JournalLengths = ReadonlyMap<string, number>;

async function knownLengths(store: RunStore): Promise<JournalLengths> {
  const found = store.listed === undefined ? [] : await store.folders();
  return new Map(found.map(({ id, length = 0 }) => [id, length]));
}

const isOld = ({ row, at }: CachedBatch, nowMs: number): boolean =>
  WORKING.includes(row.status) && nowMs - at > WORKING_MS;
