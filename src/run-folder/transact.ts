/** The one loop of reading, deciding and appending: of several writers the first wins, and the others decide again. */
import { HarnessError, isHarnessError } from '../errors.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { EventBody, RunEvent } from '../run/event.ts';
import { applyEvent } from '../run/fold.ts';
import type { RunSnapshot } from '../run/snapshot.ts';
import { extendCached, openSnapshot } from './snapshot.ts';

const MAX_RACES = 100;

/** Returns the event to append, or undefined for none. */
export type ChooseEvent = (now: RunSnapshot) => EventBody | undefined | Promise<EventBody | undefined>;

/** `event` is undefined when nothing was appended; then `after` is `before`. */
export type Transaction = { before: RunSnapshot; after: RunSnapshot; event: RunEvent | undefined };

/**
 * Contract: `choose` is called again with a new snapshot each time another writer was faster; its errors are passed on.
 * `event_refused` when its event does not fit the state; then nothing is written.
 */
export async function transact(run: RunFolder, choose: ChooseEvent, actor: string): Promise<Transaction> {
  for (let race = 0; race < MAX_RACES; race += 1) {
    const before = await openSnapshot(run);
    const body = await choose(before);
    if (body === undefined) return { before, after: before, event: undefined };
    const { length, origin } = before.state;
    applyEvent(before.state, { seq: length, ts: origin.at, actor, body });
    try {
      const event = await run.journal.append(body, actor, length);
      return { before, after: extendCached(run, before, event), event };
    } catch (error) {
      if (!isHarnessError(error, 'journal_conflict')) throw error;
    }
  }
  throw new HarnessError('journal_conflict', `Run ${run.id} changes too fast; try again.`, { retryable: true });
}
