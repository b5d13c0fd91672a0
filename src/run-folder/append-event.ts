/** The one way to append to a journal: an event that does not fit the state is refused before it is written. */
import type { RunFolder } from '../ports/run-store.ts';
import type { EventBody, RunEvent } from '../run/event.ts';
import { applyEvent } from '../run/fold.ts';
import type { RunState } from '../run/state.ts';

/** Contract: `event_refused` when it does not fit `state`, `journal_conflict` when somebody appended since. */
export async function appendEvent(run: RunFolder, state: RunState, body: EventBody, actor: string): Promise<RunEvent> {
  applyEvent(state, { seq: state.length, ts: state.origin.at, actor, body });
  return run.journal.append(body, actor, state.length);
}
