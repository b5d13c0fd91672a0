/** Access to tools over HTTP for agents: the same checks of host, origin, rate, token and rights as on the page. */
import { Hono, type Context } from 'hono';
import { createRateLimit } from './guard/rate-limit.ts';
import { getReadScope, type Scope } from './guard/scope.ts';
import { mayDecide, findAgentOwner, type Access } from './guard/visitor.ts';
import { headerGuard } from './routes/guards.ts';
import { getPeerAddress, isAllowedHost, isOwnOrigin } from './routes/request.ts';
import type { ReviewEnv } from './routes/respond.ts';
import type { ReviewDeps } from './web-deps.ts';

/** The person whose agent calls; the agent may do what this person may do on the page, and never more. */
export type ToolCaller = {
  /** The name without the prefix `user:`. */
  name: string;
  scope: Scope;
  /** Returns whether the caller may start, stop and comment on runs of the scenario. */
  mayAct: (scenario: string) => boolean;
};

export type ToolEndpoint = Pick<ReviewDeps, 'clock' | 'hosts'> & {
  access: Access;
  /** Requests per minute of one person's agents, and wrong tokens per minute of one address. */
  limits: { requests: number; signIns: number };
  answer: (request: Request, caller: ToolCaller) => Promise<Response>;
};

type ToolRefusal = { status: 401 | 403 | 421 | 429; why: string };

/** Serves tools at `/mcp`, and `/healthz` for the supervisor of the process. */
export function createToolEndpoint({ clock, hosts, access, limits, answer }: ToolEndpoint): Hono<ReviewEnv> {
  const now = () => clock.now().getTime();
  const requests = createRateLimit(limits.requests, now);
  const tries = createRateLimit(limits.signIns, now);
  const callerOf = (c: Context<ReviewEnv>): ToolCaller | ToolRefusal => {
    if (!isAllowedHost(c.req.header('host'), { hosts }))
      return { status: 421, why: 'Tools answer to the addresses that tandem mcp listens on, and to no other.' };
    if (!isOwnOrigin(c, { hosts })) return { status: 403, why: 'A page of another origin may not call tools.' };
    // A cookie or a proxy's header would let a web page call tools in the name of the person whose browser shows it.
    const token = /^Bearer ([\x21-\x7e]{1,500})$/i.exec(c.req.header('authorization') ?? '')?.[1];
    if (token === undefined) return { status: 401, why: 'Send Authorization: Bearer <token>; see docs/mcp.md.' };
    const name = findAgentOwner(token, access);
    if (name === undefined)
      return tries.take(getPeerAddress(c))
        ? { status: 401, why: 'Nobody has this token.' }
        : { status: 429, why: 'Too many wrong tokens. Wait a minute.' };
    if (!requests.take(name)) return { status: 429, why: 'Too many requests. Wait ten seconds.' };
    return {
      name,
      scope: getReadScope({ name }, access),
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
