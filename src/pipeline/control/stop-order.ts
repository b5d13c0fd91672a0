/** Pauses and cancels a run: one event each, which every worker sees within a second. */
import { usageError } from '../../errors.ts';
import type { EventBody } from '../../run/event.ts';
import type { RunSnapshot } from '../../run/snapshot.ts';
import type { RunState } from '../../run/state.ts';
import { transact } from '../../run-folder/snapshot.ts';
import type { ReadDeps } from '../../ports/run-store.ts';

type StopOrder = Extract<EventBody, { type: 'run.paused' | 'run.cancelled' }>;

/** Resolves with the states before and after. Repeating an order is harmless; `usage` when it cannot be given. */
export async function giveOrder(
  runId: string,
  { order, actor }: { order: StopOrder; actor: string },
  deps: ReadDeps,
): Promise<{ before: RunState; after: RunState }> {
  const run = await deps.store.open(runId);
  const choose = ({ state }: RunSnapshot): EventBody | undefined => {
    if (state.status === (order.type === 'run.paused' ? 'paused' : 'cancelled')) return undefined;
    const refusal = findOrderRefusal(order, state);
    if (refusal !== undefined) throw usageError(`Run ${run.id} ${refusal}`);
    return order;
  };
  const { before, after } = await transact(run, choose, actor);
  return { before: before.state, after: after.state };
}

function findOrderRefusal(order: StopOrder, state: RunState): string | undefined {
  if ('verdict' in state) return `has ended: it is ${state.status}. tandem fork makes a new run of it.`;
  if (order.type === 'run.paused' && state.status === 'errored')
    return `has stopped by itself: ${state.failure.message} Cancel it, or: tandem resume.`;
  return undefined;
}
