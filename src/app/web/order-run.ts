/** Pauses, cancels and retries a run from the page, with the same events that the commands append. */
import { usageError } from '../../errors.ts';
import { giveOrder } from '../../pipeline/control/stop-order.ts';
import type { RunOrder } from '../../ports/decisions.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';
import type { EventBody } from '../../run/event.ts';
import type { RunSnapshot } from '../../run/snapshot.ts';
import { isHandedOver } from '../../run-folder/hand-over.ts';
import { transact } from '../../run-folder/transact.ts';

export async function orderRun({ run: dir, what, comment, actor }: RunOrder, deps: ReadDeps): Promise<void> {
  if (what === 'retry') return retryRun(dir, actor, deps);
  const order: Parameters<typeof giveOrder>[1]['order'] =
    what === 'pause'
      ? { type: 'run.paused', reason: 'user', detail: comment || 'paused on the page' }
      : { type: 'run.cancelled', detail: comment };
  await giveOrder(dir, { order, actor }, deps);
}

/** Only workers can continue the run from here, because the page has no terminal. */
async function retryRun(dir: string, actor: string, deps: ReadDeps): Promise<void> {
  const run = await deps.store.open(dir);
  if (!(await isHandedOver(run)))
    throw usageError(`No workers carry run ${run.id}: go on with tandem resume ${run.id}.`);
  const choose = ({ state }: RunSnapshot): EventBody | undefined => {
    if (state.status === 'paused') return { type: 'run.resumed' };
    if (state.status === 'errored') return { type: 'run.retried' };
    if (!('verdict' in state)) return undefined;
    throw usageError(`Run ${run.id} has ended: it is ${state.status}. tandem fork makes a new run of it.`);
  };
  await transact(run, choose, actor);
}
