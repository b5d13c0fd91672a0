/** A run whose step workers gave back: who looks on is informed, and after three workers the run waits for a person. */
import type { HandedBack } from '../ports/job-queue.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { decide } from '../run/decide.ts';
import { laneOf, type WakeDeps } from './hand-over.ts';
import { transact } from './transact.ts';

/** With fewer workers than this the run waits: one that can do it may be on its way. */
const MOST = 3;

/** `said` holds what was said before. Contract: a queue that is away ends nothing. */
export async function lookAtHandedBack(
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
  // In an upgrade the older workers may be many, and one that is new enough goes on.
  const unable = by.filter(({ isOlder }) => isOlder !== true);
  if (unable.length < MOST) return;
  const detail = `${unable.length} workers gave its next step back. ${reasons(unable)} Nothing is lost: mend that on a worker, then tandem resume ${run.id}.`;
  // As with a provider that is away: no step has failed, and the same command goes on later.
  const { event } = await transact(
    run,
    ({ state }) =>
      laneOf(decide(state)) === undefined ? undefined : { type: 'run.paused', reason: 'provider', detail },
    'worker:tandem',
  );
  await queue.handedBack?.forget(run.id).catch(() => undefined);
  if (event !== undefined) progress({ type: 'state', status: 'paused', detail });
}

/** Workers with the same reason together. */
function reasons(by: readonly HandedBack[]): string {
  const groups = Map.groupBy(by, ({ why }) => why);
  return [...groups].map(([why, some]) => `${some.map(({ worker }) => worker).join(', ')}: ${why}`).join(' ');
}
