/** Where the wake-up of a run is in the queue: it waits, is worked on, comes back later, or is not there at all. */
import type { QueuePosition } from '../../ports/job-queue.ts';
import type { LaneQueue } from './backend.ts';

export async function locateRun(run: string, queue: LaneQueue): Promise<Omit<QueuePosition, 'handedBack'>> {
  const workers = await queue.getWorkersCount();
  const id = await queue.getDeduplicationJobId(run);
  const job = id === null ? undefined : await queue.getJob(id);
  if (job === undefined) return { state: 'absent', workers };
  const state = await job.getState();
  const at = (ms: number): string => new Date(ms).toISOString();
  if (state === 'active') return { state, since: at(job.processedOn ?? job.timestamp), workers };
  if (state === 'delayed')
    return { state, since: at(job.timestamp), until: at(job.timestamp + (job.delay ?? 0)), workers };
  return state === 'waiting' || state === 'prioritized'
    ? { state: 'waiting', since: at(job.timestamp), workers }
    : { state: 'absent', workers };
}
