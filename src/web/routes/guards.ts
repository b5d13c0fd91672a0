/** What every request passes before anything is read for it: host, rate, size, and who it is. */
import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie } from 'hono/cookie';
import { secureHeaders } from 'hono/secure-headers';
import { HarnessError } from '../../errors.ts';
import { createRateLimit, type RateLimit } from '../guard/rate-limit.ts';
import { identify, type Visitor } from '../guard/visitor.ts';
import { parseGateKey } from '../read/find-run.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { addressOf, cookieName, isAllowedHost } from './request.ts';
import { respondWithRefusal, type ReviewContext, type ReviewEnv } from './respond.ts';
import { localPath, sendSignIn, TOO_MANY_TRIES } from './sign-in-routes.ts';

type Guard = MiddlewareHandler<ReviewEnv>;

/** Three design files fit into an edit; an answer is far smaller. */
const MOST_BYTES = 256 * 1024;
const MOST_EDIT_BYTES = 4 * 1024 * 1024;

export function hostGuard(deps: ReviewDeps): Guard {
  return async (c, next) => {
    if (!isAllowedHost(c.req.header('host') ?? hostOf(c.req.url), deps)) {
      return respondWithRefusal(c, deps, {
        status: 421,
        title: 'Another address',
        text: 'This page answers only to the addresses that tandem serve was given.',
      });
    }
    return next();
  };
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

/** A page may set a stricter policy, which is not replaced. Only the operator knows whether the host is HTTPS only. */
const fixedHeaders = secureHeaders({
  xFrameOptions: 'DENY',
  // Not no-referrer: under it a browser sends `Origin: null` with our own forms too.
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
    const who = c.get('visitor')?.name ?? addressOf(c);
    const free = requests.take(addressOf(c)) && (c.req.method !== 'POST' || decisions.take(who));
    if (free) return next();
    c.header('retry-after', '10');
    return respondWithRefusal(c, deps, {
      status: 429,
      title: 'Too many requests',
      text: 'That was too much at once. Wait ten seconds, then try again.',
    });
  };
}

export function sizeGuard(deps: ReviewDeps): Guard {
  const limit = (maxSize: number) =>
    bodyLimit({
      maxSize,
      onError: (c) =>
        respondWithRefusal(c as ReviewContext, deps, {
          status: 413,
          title: 'Too large',
          text: `A request may hold ${maxSize / 1024} KiB.`,
        }),
    });
  const [small, large] = [limit(MOST_BYTES), limit(MOST_EDIT_BYTES)];
  return (c, next) => (/\/edit(?:\/draft)?$/.test(c.req.path) ? large : small)(c, next);
}

/** Finds out who it is; pages send strangers to sign in, the API refuses them. */
/** Wrong bearer tokens are tries to sign in, and are counted with those. */
export function identityGuard(deps: ReviewDeps, tries: RateLimit): Guard {
  return async (c, next) => {
    const asking = {
      header: (name: string) => c.req.header(name),
      cookie: getCookie(c, cookieName(deps)),
      address: addressOf(c),
    };
    const visitor = identify(asking, deps, deps.clock.now().getTime());
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
        return respondWithRefusal(c, deps, {
          status: 401,
          title: 'Sign in',
          text: 'Send Authorization: Bearer <token>; tandem serve prints one.',
        });
      }
      const { search } = new URL(c.req.url);
      return sendSignIn(c, deps, { to: c.req.method === 'GET' ? localPath(c.req.path + search) : '/', status: 401 });
    }
    if (visitor.only !== undefined && !isOwnRun(c.req.path, visitor.only.gate)) {
      return respondWithRefusal(c, deps, {
        status: 403,
        title: 'Your link leads elsewhere',
        text: 'Your link opens one gate only. Sign in with your token to see more.',
      });
    }
    return next();
  };
}

/** The run that the gate belongs to, and no other: its evidence must be readable too. */
function isOwnRun(path: string, gate: string): boolean {
  const [, area, run = ''] = path.split('/');
  return area === 'runs' && run === encodeURIComponent(parseGateKey(gate).run);
}

export function visitorOf(c: ReviewContext): Visitor {
  const visitor = c.get('visitor');
  if (visitor === undefined) throw new HarnessError('infrastructure', 'A page was reached without signing in.');
  return visitor;
}
