/** A person's own session for the pages: who spoke with which agent, since when, for how much, and the first words. */
import { isSessionOpen } from '../../pipeline/session/live-session.ts';
import type { SessionFolder } from '../../ports/run-store.ts';
import { readSession } from '../../run-folder/session-events.ts';
import type { SessionTurns } from '../../run/fold-turns.ts';

export type ListedSession = Pick<SessionTurns, 'agent' | 'startedBy' | 'startedAt' | 'lastAt'> & {
  id: string;
  status: 'live' | 'idle' | 'stopped';
  costUsd: number;
  /** The number of messages of the person. */
  turns: number;
  /** The first of them. */
  said: string;
};

export async function readListedSession(folder: SessionFolder): Promise<ListedSession> {
  const [now, spent, isOpen] = await Promise.all([readSession(folder), folder.spending.list(), isSessionOpen(folder)]);
  const { agent, startedBy, startedAt, lastAt, turns } = now;
  return {
    ...{ id: folder.id, agent, startedBy, startedAt, lastAt },
    status: isOpen ? 'live' : now.open === undefined ? 'idle' : 'stopped',
    costUsd: spent.reduce((sum, { usd }) => sum + usd, 0),
    turns: turns.length,
    said: turns[0]?.text ?? '',
  };
}
