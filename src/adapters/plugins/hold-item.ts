/** An item that is held for as long as it is worked on: renewed before its time is over, and aborted when another has it. */
import { HarnessError } from '../../errors.ts';
import type { QueueItems } from '../../ports/plugins/plugins.ts';

/** A hold is renewed so often within its time. */
const RENEWALS = 3;

export type Hold = { signal: AbortSignal; end: () => void };

/** A fault of the queue alone aborts nothing: the hold may still be renewed in time. */
export function holdItem(
  items: Pick<QueueItems, 'renew'>,
  hold: string,
  { holdMs, stopping, alive }: { holdMs: number; stopping: AbortSignal; alive: () => void },
): Hold {
  const lost = new AbortController();
  const renew = async (): Promise<void> => {
    const isMine = await Promise.resolve(items.renew(hold, holdMs)).catch(() => true);
    alive();
    if (!isMine) lost.abort(new HarnessError('attempt_lost', 'The queue has given it to another worker.'));
  };
  const timer = setInterval(() => void renew(), holdMs / RENEWALS);
  return { signal: AbortSignal.any([lost.signal, stopping]), end: () => clearInterval(timer) };
}
