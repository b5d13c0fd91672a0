/** Answers the API routes by their table: checks each body against its schema, and rejects cross-site requests. */
import type { Hono } from 'hono';
import { z } from 'zod';
import { HarnessError, usageError } from '../../../errors.ts';
import type { ApiPost, ApiRoute } from '../../api/routes.ts';
import type { Visitor } from '../../guard/visitor.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { requireVisitor } from '../guards.ts';
import { isOwnOrigin } from '../request.ts';
import type { ReviewContext, ReviewEnv } from '../respond.ts';

/** `id` is the path parameter: a run, or a run and a gate. */
type ApiRequest = { c: ReviewContext; id: string };
type Posted<Body extends z.ZodType> = ApiRequest & { visitor: Visitor; body: z.infer<Body> };

export function answerRead<Answer extends z.ZodType>(
  app: Hono<ReviewEnv>,
  route: ApiRoute<Answer>,
  answer: (request: ApiRequest) => Promise<z.input<Answer>>,
): void {
  app.get(route.path, async (c) => c.json(await answer({ c, id: c.req.param('id') ?? '' })));
}

/** A `Response` that `answer` returns is sent unchanged. */
export function answerPost<Body extends z.ZodType, Answer extends z.ZodType>(
  { app, deps }: { app: Hono<ReviewEnv>; deps: ReviewDeps },
  route: ApiPost<Body, Answer>,
  answer: (posted: Posted<Body>) => Promise<z.input<Answer> | Response>,
): void {
  app.post(route.path, async (c) => {
    const visitor = requireBearer(c, deps);
    const body = await jsonBody(c, route.body, route.bodyName);
    const answered = await answer({ c, id: c.req.param('id') ?? '', visitor, body });
    return answered instanceof Response ? answered : c.json(answered);
  });
}

/** Requires a bearer token; a cookie is not enough, because a page on another site can send it too. */
function requireBearer(c: ReviewContext, deps: ReviewDeps): Visitor {
  const visitor = requireVisitor(c);
  if (visitor.by !== 'cookie' && isOwnOrigin(c, deps)) return visitor;
  throw new HarnessError(
    'gate_refused',
    'Decide and ask through the API with Authorization: Bearer <token>, not with a cookie.',
    { details: { refusal: 'not_allowed' } },
  );
}

/** `what` names the body in error messages, such as `decision`. */
async function jsonBody<Schema extends z.ZodType>(
  c: ReviewContext,
  schema: Schema,
  what: string,
): Promise<z.infer<Schema>> {
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) {
    throw usageError(`Send the ${what} as application/json.`);
  }
  const parsed = schema.safeParse(parseJsonText(await c.req.text()));
  if (parsed.success) return parsed.data;
  throw usageError(`The ${what} cannot be used: ${z.prettifyError(parsed.error)}`);
}

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) throw usageError('The body is not JSON.', { cause: error });
    throw error;
  }
}
