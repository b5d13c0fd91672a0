/** Words that come after their writer's session has ended: they become a draft of theirs, and nothing is recorded. */
import type { MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import { ignoreHarnessError } from '../../../errors.ts';
import { getReadScope, limitToScope } from '../../guard/scope.ts';
import { openSignIn } from '../../guard/sign-in-session.ts';
import { toVisitor } from '../../guard/visitor.ts';
import { gateHref } from '../../pages/page-links.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { postedFields } from '../posted-form.ts';
import { cookieName } from '../request.ts';
import type { ReviewContext, ReviewEnv } from '../respond.ts';
import { sendSignIn } from '../sign-in-routes.ts';
import { saveEditDraft, openEditing } from './edit-routes.ts';
import { checkForm, gateRequest, readOpenView, requireRight, type GateRequest } from './gate-request.ts';
import { postedDraft, saveDraftFields } from './save-draft.ts';

/** As long as a form is believed. */
const ENDED_MS = 24 * 60 * 60 * 1000;

/** Before the guard that sends strangers away: of a post to a gate by somebody who was signed in until lately. */
export function saveAfterSignOut(deps: ReviewDeps): MiddlewareHandler<ReviewEnv> {
  return async (c, next) => {
    if (c.get('visitor') !== undefined) return next();
    const at = await endedRequest(c, deps);
    if (at === undefined || !(await isSaved(at))) return next();
    const message =
      'Your session has ended. What you wrote is saved as a draft of yours: sign in, and it is there again.';
    if (c.req.path.endsWith('/draft')) return c.json({ error: { message } }, 401);
    return sendSignIn(c, deps, { to: gateHref(at.key, at.gate), notice: message, status: 401 });
  };
}

/** The cookie is one that we signed, and its time has not been over for long. */
async function endedRequest(c: ReviewContext, deps: ReviewDeps): Promise<GateRequest | undefined> {
  const sealed = getCookie(c, cookieName(deps)) ?? '';
  const session = openSignIn(sealed, deps.signer, deps.clock.now().getTime() - ENDED_MS);
  if (session === undefined) return undefined;
  const visitor = toVisitor(session);
  const own = limitToScope(deps, getReadScope(visitor, deps.access));
  return gateRequest(c, own, visitor).catch(ignoreHarnessError);
}

async function isSaved(at: GateRequest): Promise<boolean> {
  try {
    const form = await postedFields(at.c);
    checkForm(at, form);
    requireRight(at);
    if (at.c.req.path.includes('/edit'))
      return (await saveEditDraft(await openEditing(at.c, at.deps, at), form)) === 'saved';
    const fields = postedDraft(form);
    // The page for one comment.
    const [on, text] = [fields.get('on'), fields.get('text')];
    if (on !== undefined && text !== undefined) fields.set(`on.${on}`, text);
    const digest = fields.get('digest') ?? (await readOpenView(at, '')).digest;
    return (await saveDraftFields(at, digest, fields)) === 'saved';
  } catch (error) {
    return ignoreHarnessError(error) !== undefined;
  }
}
