/** Signing in and out: a token is turned into a signed cookie that other sites cannot make the browser send. */
import { randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import { formAge } from '../guard/form-token.ts';
import type { RateLimit } from '../guard/rate-limit.ts';
import { openSignIn, sealSignIn, type SignInSession } from '../guard/sign-in-session.ts';
import { findTokenName } from '../guard/visitor.ts';
import { signedInPage, signInPage } from '../pages/sign-in-page.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { formText, postedFields } from './posted-form.ts';
import { getPeerAddress, cookieName } from './request.ts';
import { respondWithRefusal, sendPage, type ReviewContext, type ReviewEnv } from './respond.ts';

export const TOO_MANY_TRIES = {
  ...{ status: 429 as const, title: 'Too many tries' },
  text: 'Too many wrong tokens came from this address. Wait a minute, then try again.',
};

const SESSION_MS = 12 * 60 * 60 * 1000;

/** `tries`: wrong tokens of one address, in the form as in a header. */
export function signInRoutes(deps: ReviewDeps, tries: RateLimit): Hono<ReviewEnv> {
  const now = () => deps.clock.now().getTime();

  const enter = (c: ReviewContext, token: string, to: string): Response => {
    const linked = openSignIn(token, deps.signer, now());
    const name = linked?.name ?? findTokenName(token, deps.access);
    // Only wrong ones count: whoever shares an address with somebody who guesses must come in all the same.
    if (name === undefined && !tries.take(getPeerAddress(c))) return respondWithRefusal(c, deps, TOO_MANY_TRIES);
    if (name === undefined)
      return sendSignIn(c, deps, { to, fault: 'This token is not valid here, or not any more.', status: 401 });
    const session: SignInSession = linked ?? {
      id: randomBytes(16).toString('base64url'),
      name,
      until: now() + SESSION_MS,
    };
    setCookie(c, cookieName(deps), sealSignIn(session, deps.signer), {
      httpOnly: true,
      sameSite: 'Strict',
      secure: deps.secure,
      path: '/',
      maxAge: Math.max(1, Math.floor((session.until - now()) / 1000)),
    });
    return sendPage(c, deps, { title: 'Signed in', body: signedInPage(name, to) });
  };

  return new Hono<ReviewEnv>()
    .get('/sign-in', (c) => {
      const to = localPath(c.req.query('to'));
      const token = c.req.query('token');
      return token === undefined ? sendSignIn(c, deps, { to }) : enter(c, token, to);
    })
    .post('/sign-in', async (c) => {
      const form = await postedFields(c);
      return enter(c, formText(form.get('token')), localPath(formText(form.get('to'))));
    })
    .post('/sign-out', async (c) => {
      const visitor = c.get('visitor');
      const token = formText((await postedFields(c)).get('form'));
      const at = { signer: deps.signer, nowMs: now() };
      if (visitor !== undefined && formAge(token, visitor.session, at) === undefined) {
        return respondWithRefusal(c, deps, {
          status: 403,
          title: 'Still signed in',
          text: 'This form is too old or not from this page. Reload, then sign out.',
        });
      }
      deleteCookie(c, cookieName(deps), { path: '/' });
      c.set('visitor', undefined);
      return sendSignIn(c, deps, { to: '/' });
    });
}

/** `notice`: what became of what somebody posted whose session had ended. */
type SignIn = { to: string; fault?: string; notice?: string; status?: 200 | 401 };

export function sendSignIn(c: ReviewContext, deps: ReviewDeps, { to, fault, notice, status = 200 }: SignIn): Response {
  // A Strict cookie is held back when a link on another site was followed; asking again from here brings it along.
  const again = fault === undefined && notice === undefined && c.req.header('sec-fetch-site') === 'cross-site';
  return sendPage(c, deps, { title: 'Sign in', body: signInPage({ to, fault, notice, again }), status });
}

/** A path of this page and nothing that leads elsewhere: no scheme, no host, no second slash, no backslash. */
export function localPath(to: string | undefined): string {
  return to !== undefined && to.length < 1000 && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(to) ? to : '/';
}
