/** A step that workers gave back: observers get a notice, and after three workers the run waits for a person. */
import type { HandedBack } from '../ports/job-queue.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { decide } from '../run/decide.ts';
import { findStepLane, type WakeDeps } from './hand-over.ts';
import { transact } from './transact.ts';

/** Fewer workers do not pause the run: a worker that can do the step may be on its way. */
const MOST = 3;

/** `said` holds the notices already sent. Contract: an unreachable queue pauses nothing. */
export async function checkHandedBack(
  run: RunFolder,
  { queue, progress }: Pick<WakeDeps, 'queue' | 'progress'>,
  said: Set<string>,
): Promise<void> {
  const by = await queue.handedBack?.of(run.id).catch(() => []);
  if (by === undefined || by.length === 0) return;
  for (const { worker, why } of by) {
    const detail = `Worker ${worker} gave run ${run.id} back: ${why}`;
    if (!said.has(detail)) progress({ type: 'state', status: 'notice', detail });
    said.add(detail);
  }
  // During an upgrade many workers may be too old, and a newer one will continue the run.
  const unable = by.filter(({ isOlder }) => isOlder !== true);
  if (unable.length < MOST) return;
  const detail = `${unable.length} workers gave its next step back. ${formatReasons(unable)} Nothing is lost: mend that on a worker, then tandem resume ${run.id}.`;
  // The pause is the same as for an unreachable provider: no step has failed, and the same command continues later.
  const { event } = await transact(
    run,
    ({ state }) =>
      findStepLane(decide(state)) === undefined ? undefined : { type: 'run.paused', reason: 'provider', detail },
    'worker:tandem',
  );
  await queue.handedBack?.forget(run.id).catch(() => undefined);
  if (event !== undefined) progress({ type: 'state', status: 'paused', detail });
}

/** Groups the workers by their reason. */
function formatReasons(by: readonly HandedBack[]): string {
  const groups = Map.groupBy(by, ({ why }) => why);
  return [...groups].map(([why, some]) => `${some.map(({ worker }) => worker).join(', ')}: ${why}`).join(' ');
}
