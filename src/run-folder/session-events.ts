/** The journal of a person's session, read and folded here alone. */
import type { SessionFolder } from '../ports/run-store.ts';
import { foldTurns, type SessionTurns } from '../run/fold-turns.ts';
import type { SessionEvent } from '../run/session-event.ts';

type WithJournal = Pick<SessionFolder, 'journal'>;

export function readSessionEvents({ journal }: WithJournal): Promise<readonly SessionEvent[]> {
  return journal.read();
}

export async function readSession(session: WithJournal): Promise<SessionTurns> {
  return foldTurns(await readSessionEvents(session));
}
