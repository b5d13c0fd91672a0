/** Tells how long the oldest job of each lane has waited, from what workers last said, without a look into the queue. */
import type { ReadDeps } from '../ports/run-store.ts';
import type { SharedFiles } from '../ports/shared-files.ts';
import { readHandOverMark } from '../run-folder/hand-over.ts';
import { getRunIndex } from '../run-folder/run-index.ts';
import { seenWorkers } from './presence.ts';

export type OldestJob = { lane: string; since: string };

/** Without a living worker, every run that was handed over waits since its last event. */
export async function listOldestJobs({
  store,
  shared,
  clock,
}: Pick<ReadDeps, 'store' | 'clock'> & { shared: SharedFiles }): Promise<OldestJob[]> {
  const alive = (await seenWorkers(shared, clock)).filter(({ isLost }) => !isLost);
  const jobs = alive.length > 0 ? alive.flatMap(({ waits = [] }) => waits) : await listUnattended(store);
  const oldest = new Map<string, string>();
  for (const { lane, since } of jobs) if (since < (oldest.get(lane) ?? '~')) oldest.set(lane, since);
  return [...oldest].map(([lane, since]) => ({ lane, since }));
}

async function listUnattended(store: ReadDeps['store']): Promise<OldestJob[]> {
  const { runs } = await getRunIndex(store).look();
  const jobs = runs.map(async ({ dir, lane, at }): Promise<OldestJob[]> => {
    if (lane === undefined || (await readHandOverMark(await store.open(dir))) === undefined) return [];
    return [{ lane, since: at }];
  });
  return (await Promise.all(jobs)).flat();
}
