/** Pauses, cancels and retries a run from the page, with the same events that the commands append. */
import { usageError } from '../../errors.ts';
import { giveOrder } from '../../pipeline/control/stop-order.ts';
import type { RunOrder } from '../../ports/decisions.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';
import type { EventBody } from '../../run/event.ts';
import type { RunSnapshot } from '../../run/snapshot.ts';
import { findCarrier } from '../../run-folder/work-mark.ts';
import { transact } from '../../run-folder/transact.ts';

/** Starts the work of a run in this process. */
type StartWork = (run: string) => Promise<void>;

export async function orderRun(
  { run: dir, what, comment, actor }: RunOrder,
  deps: ReadDeps,
  startWork?: StartWork,
): Promise<void> {
  if (what === 'retry') return goOnWithRun(dir, actor, { deps, startWork });
  const order: Parameters<typeof giveOrder>[1]['order'] =
    what === 'pause'
      ? { type: 'run.paused', reason: 'user', detail: comment || 'paused on the page' }
      : { type: 'run.cancelled', detail: comment };
  await giveOrder(dir, { order, actor }, deps);
}

/** Workers go on with a run that they carry, else this process where it may. */
async function goOnWithRun(
  dir: string,
  actor: string,
  { deps, startWork }: { deps: ReadDeps; startWork: StartWork | undefined },
): Promise<void> {
  const run = await deps.store.open(dir);
  const carrier = await findCarrier(run);
  if (carrier === 'process') throw usageError(`Run ${run.id} is being worked on already.`);
  if (carrier === 'nothing' && startWork === undefined)
    throw usageError(`No workers carry run ${run.id}: go on with tandem resume ${run.id}.`);
  const choose = ({ state }: RunSnapshot): EventBody | undefined => {
    if (state.status === 'paused') return { type: 'run.resumed' };
    if (state.status === 'errored') return { type: 'run.retried' };
    if (!('verdict' in state)) return undefined;
    throw usageError(`Run ${run.id} has ended: it is ${state.status}. tandem fork makes a new run of it.`);
  };
  await transact(run, choose, actor);
  if (carrier === 'nothing') await startWork?.(run.dir);
}
