/** Pausing and cancelling: one event each, which every worker sees within a second. */
import { HarnessError, isHarnessError } from '../../errors.ts';
import type { EventBody } from '../../run/event.ts';
import { fold } from '../../run/fold.ts';
import type { RunState } from '../../run/state.ts';
import { appendEvent } from '../../run-folder/append-event.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';

type Order = Extract<EventBody, { type: 'run.paused' | 'run.cancelled' }>;

const MAX_RACES = 20;

/** Resolves with the state before and after. Giving the same order twice is harmless; `usage` when it cannot be given. */
export async function giveOrder(
  runId: string,
  order: Order,
  actor: string,
  deps: ReadDeps,
): Promise<{ before: RunState; after: RunState }> {
  const run = await deps.store.open(runId);
  for (let race = 0; race < MAX_RACES; race += 1) {
    const before = fold(await run.journal.read());
    if (isDone(order, before)) return { before, after: before };
    const refusal = refusalOf(order, before);
    if (refusal !== undefined) throw new HarnessError('usage', `Run ${run.id} ${refusal}`);
    try {
      await appendEvent(run, before, order, actor);
      return { before, after: fold(await run.journal.read()) };
    } catch (error) {
      // Somebody appended meanwhile: the question is asked again.
      if (!isHarnessError(error, 'journal_conflict')) throw error;
    }
  }
  throw new HarnessError('journal_conflict', `Run ${run.id} changes too fast; try again.`, { retryable: true });
}

function isDone(order: Order, state: RunState): boolean {
  return state.status === (order.type === 'run.paused' ? 'paused' : 'cancelled');
}

function refusalOf(order: Order, state: RunState): string | undefined {
  if ('verdict' in state) return `has ended: it is ${state.status}. tandem fork makes a new run of it.`;
  if (order.type === 'run.paused' && state.status === 'errored')
    return `has stopped by itself: ${state.failure.message} Cancel it, or: tandem resume.`;
  return undefined;
}
