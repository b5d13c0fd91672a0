/** People's sessions, to read: the list, and one of them. */
import { Hono } from 'hono';
import { HarnessError, ignoreHarnessError } from '../../../errors.ts';
import { isSameActor } from '../../../gate/rules/same-actor.ts';
import { readConversation } from '../../../pipeline/sessions/read-own-sessions.ts';
import type { SessionFolder } from '../../../ports/run-store.ts';
import { getReadScope } from '../../guard/scope.ts';
import { sessionPage, sessionsPage } from '../../pages/run/session-pages.ts';
import { readListedSession, type ListedSession } from '../../read/read-person-session.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { requireVisitor } from '../guards.ts';
import { visitorActor } from '../posted-form.ts';
import { sendPage, type ReviewContext, type ReviewEnv } from '../respond.ts';

/** Sessions of one page; older ones are on the command line. */
const MOST = 100;
const SESSION = '/sessions/:session{[A-Za-z0-9][A-Za-z0-9_-]{0,99}}';

export function sessionRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .get('/sessions', async (c) => {
      const folders = await deps.sessions.list();
      // A session that cannot be read must not hide the others.
      const read = (folder: SessionFolder) => readListedSession(folder).catch(ignoreHarnessError);
      const found = await Promise.all(folders.slice(0, MOST).map(read));
      const shown = found.flatMap((one) => (one !== undefined && mayRead(c, deps, one) ? [one] : []));
      const left = isLimited(c, deps) ? 0 : Math.max(0, folders.length - MOST);
      const body = sessionsPage(shown, left, deps.clock.now());
      return sendPage(c, deps, { title: 'Sessions', here: 'sessions', body });
    })
    .get(SESSION, async (c) => {
      const { folder, session } = await findSession(c, deps);
      const entries = await readConversation(folder);
      const body = sessionPage({ session, entries, calls: await folder.transcripts.calls(session.agent) });
      return sendPage(c, deps, { title: `Session ${session.id}`, here: 'sessions', body });
    });
}

/** A reader of some scenarios reads no session of others: nothing says which scenario people talk about in theirs. */
function isLimited(c: ReviewContext, { access }: ReviewDeps): boolean {
  return getReadScope(requireVisitor(c), access) !== undefined;
}

function mayRead(c: ReviewContext, deps: ReviewDeps, { startedBy }: ListedSession): boolean {
  return !isLimited(c, deps) || isSameActor(startedBy, visitorActor(requireVisitor(c)));
}

/** Only sessions of the list are ever opened, so that no address is taken for a path. */
async function findSession(c: ReviewContext, deps: ReviewDeps) {
  const folder = (await deps.sessions.list()).find(({ id }) => id === c.req.param('session'));
  const session = folder && (await readListedSession(folder));
  if (folder === undefined || session === undefined || !mayRead(c, deps, session))
    throw new HarnessError('not_found', 'There is no such session here.');
  return { folder, session };
}
