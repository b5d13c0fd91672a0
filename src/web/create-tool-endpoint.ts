/** Who may reach tools over HTTP: the page's own checks of host, origin, rate and token, and its rights, for agents. */
import { Hono, type Context } from 'hono';
import { createRateLimit } from './guard/rate-limit.ts';
import { scopeOf, type Scope } from './guard/scope.ts';
import { mayDecide, nameOfAgentToken, type Access } from './guard/visitor.ts';
import { headerGuard } from './routes/guards.ts';
import { addressOf, isAllowedHost, isOwnOrigin } from './routes/request.ts';
import type { ReviewEnv } from './routes/respond.ts';
import type { ReviewDeps } from './web-deps.ts';

/** Whose agent it is, and what it may reach: what that person may on the page, and never more. */
export type ToolCaller = {
  /** Without the `user:` in front. */
  name: string;
  scope: Scope;
  /** Whether it may start, stop and comment runs of the scenario. */
  mayAct: (scenario: string) => boolean;
};

export type ToolEndpoint = Pick<ReviewDeps, 'clock' | 'hosts'> & {
  access: Access;
  /** Requests a minute of one person's agents, and wrong tokens of one address. */
  limits: { requests: number; signIns: number };
  answer: (request: Request, caller: ToolCaller) => Promise<Response>;
};

type Refused = { status: 401 | 403 | 421 | 429; why: string };

/** Tools are at `/mcp`; whoever looks after the process asks `/healthz`. */
export function createToolEndpoint({ clock, hosts, access, limits, answer }: ToolEndpoint): Hono<ReviewEnv> {
  const now = () => clock.now().getTime();
  const requests = createRateLimit(limits.requests, now);
  const tries = createRateLimit(limits.signIns, now);
  const callerOf = (c: Context<ReviewEnv>): ToolCaller | Refused => {
    if (!isAllowedHost(c.req.header('host'), { hosts }))
      return { status: 421, why: 'Tools answer to the addresses that tandem mcp listens on, and to no other.' };
    if (!isOwnOrigin(c, { hosts })) return { status: 403, why: 'A page of another origin may not call tools.' };
    // A cookie or a proxy's header would let a browser call tools for somebody who only looks at a page.
    const token = /^Bearer ([\x21-\x7e]{1,500})$/i.exec(c.req.header('authorization') ?? '')?.[1];
    if (token === undefined) return { status: 401, why: 'Send Authorization: Bearer <token>; see docs/mcp.md.' };
    const name = nameOfAgentToken(token, access);
    if (name === undefined)
      return tries.take(addressOf(c))
        ? { status: 401, why: 'Nobody has this token.' }
        : { status: 429, why: 'Too many wrong tokens. Wait a minute.' };
    if (!requests.take(name)) return { status: 429, why: 'Too many requests. Wait ten seconds.' };
    return {
      name,
      scope: scopeOf({ name }, access),
      mayAct: (scenario) => mayDecide({ name }, scenario, access),
    };
  };
  return new Hono<ReviewEnv>()
    .use(headerGuard)
    .get('/healthz', (c) => c.json({ ok: true, faults: [] }))
    .all('/mcp', async (c) => {
      const caller = callerOf(c);
      if ('name' in caller) return answer(c.req.raw, caller);
      if (caller.status === 401) c.header('www-authenticate', 'Bearer realm="tandem mcp"');
      if (caller.status === 429) c.header('retry-after', '10');
      return c.json({ error: { message: caller.why } }, caller.status);
    });
}
