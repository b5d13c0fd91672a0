/** Finds the sessions that a name on the command line means: a run, one of its agents, or one lane of a transcript. */
import { agentTools } from '../../app/agent-tools.ts';
import { openSessionStore } from '../../app/open-store.ts';
import type { Home } from '../../config/home.ts';
import { HarnessError, isHarnessError, usageError } from '../../errors.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';
import { readSessions } from '../../pipeline/sessions/read-sessions.ts';
import { readOwnSession } from '../../pipeline/sessions/read-own-sessions.ts';
import type { RunFolder, SessionFolder } from '../../ports/run-store.ts';
import type { SessionState } from '../../run/session.ts';

/** The sessions of a run, or a person's own session. */
export type FoundSessions = { sessions: SessionState[] } & ({ run: RunFolder } | { own: SessionFolder });

/** Accepts `<run>`, `<run>/<agent>` and `<run>/<agent>/<lane>`; the run may be a path, which holds slashes too. */
export async function findSessions(name: string, home: Home, { store }: ReadDeps): Promise<FoundSessions> {
  const own = await openSessionStore(home).find(name.split('/')[0] ?? '');
  if (own !== undefined) {
    const all = await readOwnSession(own, agentTools(home));
    const wanted = [own.id, ...name.split('/').slice(1)].join('/');
    const sessions = all.filter(({ id }) => id === wanted);
    if (sessions.length > 0) return { own, sessions };
    throw new HarnessError(
      'not_found',
      `No session is named ${wanted}: there are ${all.map(({ id }) => id).join(', ')}.`,
    );
  }
  const { run, rest } = await openRun(name, store);
  const all = await readSessions(run, agentTools(home));
  const wanted = [run.id, ...rest].join('/');
  const exact = all.filter(({ id }) => id === wanted);
  // An agent without a session of exactly this id, such as a chat, stands for all its lanes.
  const sessions = exact.length > 0 ? exact : all.filter(({ id }) => id.startsWith(`${wanted}/`));
  if (sessions.length > 0) return { run, sessions };
  const there = all.length === 0 ? 'no agent has spoken yet' : `there are ${all.map(({ id }) => id).join(', ')}`;
  throw new HarnessError('not_found', `No session is named ${wanted}: ${there}.`, { details: { session: wanted } });
}

/** Opens the longest part of the name that is a run; an agent and a lane may follow it. */
async function openRun(name: string, store: ReadDeps['store']): Promise<{ run: RunFolder; rest: string[] }> {
  const parts = name.split('/');
  let first: unknown;
  for (let rest = 0; rest <= 2 && rest < parts.length; rest += 1) {
    const id = parts.slice(0, parts.length - rest).join('/');
    if (id === '') break;
    try {
      return { run: await store.open(id), rest: parts.slice(parts.length - rest) };
    } catch (error) {
      if (!isHarnessError(error, 'not_found') && !isHarnessError(error, 'usage')) throw error;
      first = error;
    }
  }
  throw first ?? usageError('A session is named by its run: tandem sessions list shows them.');
}
