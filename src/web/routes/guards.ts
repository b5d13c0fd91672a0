/** The checks that every request passes before anything is read for it: host, rate, size, and identity. */
import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie } from 'hono/cookie';
import { secureHeaders } from 'hono/secure-headers';
import { HarnessError } from '../../errors.ts';
import { createRateLimit, type RateLimit } from '../guard/rate-limit.ts';
import { identifyVisitor, type Visitor } from '../guard/visitor.ts';
import { parseGateKey } from '../read/find-run.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { getPeerAddress, cookieName, isAllowedHost } from './request.ts';
import { respondWithRefusal, type ReviewContext, type ReviewEnv } from './respond.ts';
import { localPath, sendSignIn, TOO_MANY_TRIES } from './sign-in-routes.ts';

type Guard = MiddlewareHandler<ReviewEnv>;

/** An edit may contain three design files; an answer is far smaller. */
const MOST_BYTES = 256 * 1024;
const MOST_EDIT_BYTES = 4 * 1024 * 1024;

export function hostGuard(deps: ReviewDeps): Guard {
  return async (c, next) => {
    if (isAllowedHost(c.req.header('host') ?? parseHost(c.req.url), deps)) return next();
    const text = 'This page answers only to the addresses that tandem serve was given.';
    return respondWithRefusal(c, deps, { status: 421, title: 'Another address', text });
  };
}

function parseHost(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

/** A page's own stricter policy is kept. HSTS is off: only the operator knows whether the host is HTTPS only. */
const fixedHeaders = secureHeaders({
  xFrameOptions: 'DENY',
  // Under `no-referrer` a browser would send `Origin: null` even with our own forms.
  referrerPolicy: 'same-origin',
  strictTransportSecurity: false,
  permissionsPolicy: { camera: [], microphone: [], geolocation: [] },
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  overwrite: false,
});

export const headerGuard: Guard = async (c, next) => {
  await fixedHeaders(c, next);
  if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store');
};

export function rateGuard(deps: ReviewDeps): Guard {
  const now = () => deps.clock.now().getTime();
  const requests = createRateLimit(deps.limits.requests, now);
  const decisions = createRateLimit(deps.limits.decisions, now);
  return async (c, next) => {
    const who = c.get('visitor')?.name ?? getPeerAddress(c);
    const free = requests.take(getPeerAddress(c)) && (c.req.method !== 'POST' || decisions.take(who));
    if (free) return next();
    c.header('retry-after', '10');
    const text = 'That was too much at once. Wait ten seconds, then try again.';
    return respondWithRefusal(c, deps, { status: 429, title: 'Too many requests', text });
  };
}

export function sizeGuard(deps: ReviewDeps): Guard {
  const limit = (maxSize: number) => {
    const refusal = { status: 413, title: 'Too large', text: `A request may hold ${maxSize / 1024} KiB.` } as const;
    return bodyLimit({ maxSize, onError: (c) => respondWithRefusal(c as ReviewContext, deps, refusal) });
  };
  const [small, large] = [limit(MOST_BYTES), limit(MOST_EDIT_BYTES)];
  return (c, next) => (/\/edit(?:\/draft)?$/.test(c.req.path) ? large : small)(c, next);
}

/** Identifies the visitor; pages send strangers to sign in, the API refuses them. */
/** Wrong bearer tokens are counted as tries to sign in. */
export function identityGuard(deps: ReviewDeps, tries: RateLimit): Guard {
  return async (c, next) => {
    const asking = {
      header: (name: string) => c.req.header(name),
      cookie: getCookie(c, cookieName(deps)),
      address: getPeerAddress(c),
    };
    const visitor = identifyVisitor(asking, deps, deps.clock.now().getTime());
    c.set('visitor', visitor);
    const isWrong = visitor === undefined && asking.header('authorization') !== undefined;
    if (!isWrong || tries.take(asking.address)) return next();
    c.header('retry-after', '60');
    return respondWithRefusal(c, deps, TOO_MANY_TRIES);
  };
}

export function signedInGuard(deps: ReviewDeps): Guard {
  return async (c, next) => {
    const visitor = c.get('visitor');
    if (visitor === undefined) {
      if (c.req.path.startsWith('/api/')) {
        c.header('www-authenticate', 'Bearer realm="tandem review"');
        const text = 'Send Authorization: Bearer <token>; tandem serve prints one.';
        return respondWithRefusal(c, deps, { status: 401, title: 'Sign in', text });
      }
      const { search } = new URL(c.req.url);
      return sendSignIn(c, deps, { to: c.req.method === 'GET' ? localPath(c.req.path + search) : '/', status: 401 });
    }
    if (visitor.only !== undefined && !isOwnRun(c.req.path, visitor.only.gate)) {
      const text = 'Your link opens one gate only. Sign in with your token to see more.';
      return respondWithRefusal(c, deps, { status: 403, title: 'Your link leads elsewhere', text });
    }
    return next();
  };
}

/** A personal link covers the whole run of its gate, whose evidence must be readable too, and no other run. */
function isOwnRun(path: string, gate: string): boolean {
  const [, area, run = ''] = path.split('/');
  return area === 'runs' && run === encodeURIComponent(parseGateKey(gate).run);
}

export function requireVisitor(c: ReviewContext): Visitor {
  const visitor = c.get('visitor');
  if (visitor === undefined) throw new HarnessError('infrastructure', 'A page was reached without signing in.');
  return visitor;
}
