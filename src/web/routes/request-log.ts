/** Gives every request an id that is returned with the answer and logged, and serves health and metrics. */
import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { getReadScope } from '../guard/scope.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { requireVisitor } from './guards.ts';
import { getPeerAddress } from './request.ts';
import { respondWithRefusal, type ReviewEnv } from './respond.ts';

type Handler = MiddlewareHandler<ReviewEnv>;

/** Characters that a proxy's request id may have; others could forge lines in a log. */
const REQUEST_ID = /^[\w.:/+=@-]{1,128}$/;
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;
const RUN = /^(?:\/api)?\/runs\/([\w:%-]{1,220})(?:\/|$)|^\/api\/gates\/([\w:%-]{1,220})\./;

/** Logs the path without its query, which may contain a token. */
export function observeGuard({ observe }: Pick<ReviewDeps, 'observe'>): Handler {
  return async (c, next) => {
    const given = c.req.header('x-request-id') ?? '';
    const id = REQUEST_ID.test(given) ? given : randomUUID();
    const startedAt = performance.now();
    await next();
    c.res.headers.set('x-request-id', id);
    const { method, path } = c.req;
    const ms = Math.round(performance.now() - startedAt);
    const [, run, runOfGate] = RUN.exec(path) ?? [];
    const traceId = TRACEPARENT.exec(c.req.header('traceparent') ?? '')?.[1];
    const from = { who: c.get('visitor')?.name, address: getPeerAddress(c), traceId };
    observe?.request({ id, method, path, status: c.res.status, ms, run: run ?? runOfGate, ...from });
  };
}

/** Comes before all other checks, because it reveals nothing of any run and a supervisor knows no host name. */
export function healthRoute({ observe }: Pick<ReviewDeps, 'observe'>): Handler {
  return async (c) => {
    const faults = observe?.faults() ?? [];
    return c.json({ ok: faults.length === 0, faults }, faults.length === 0 ? 200 : 503);
  };
}

/** For visitors who may read every scenario: `Authorization: Bearer <token>`. */
export function metricsRoute(deps: ReviewDeps): Handler {
  return async (c) => {
    const why = 'The metrics speak of every scenario; you are named for some.';
    if (deps.observe === undefined || getReadScope(requireVisitor(c), deps.access) !== undefined)
      return respondWithRefusal(c, deps, { status: 403, title: 'Not for you', text: why });
    const { text, type } = await deps.observe.metrics();
    return c.body(text, 200, { 'content-type': type });
  };
}
