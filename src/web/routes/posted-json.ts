/** A JSON body as its schema says, from somebody whom no other site can speak for. */
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import type { Visitor } from '../guard/visitor.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { visitorOf } from './guards.ts';
import { isOwnOrigin } from './request.ts';
import type { ReviewContext } from './respond.ts';

/** A cookie is not enough: a page on another site could not be told from this one by what it may send here. */
export function bearerOf(c: ReviewContext, deps: ReviewDeps): Visitor {
  const visitor = visitorOf(c);
  if (visitor.by !== 'cookie' && isOwnOrigin(c, deps)) return visitor;
  throw new HarnessError(
    'gate_refused',
    'Decide and ask through the API with Authorization: Bearer <token>, not with a cookie.',
    { details: { refusal: 'not_allowed' } },
  );
}

/** `what` names the body in complaints: `decision`. */
export async function jsonBody<Schema extends z.ZodType>(
  c: ReviewContext,
  schema: Schema,
  what: string,
): Promise<z.infer<Schema>> {
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) {
    throw new HarnessError('usage', `Send the ${what} as application/json.`);
  }
  const parsed = schema.safeParse(parse(await c.req.text()));
  if (parsed.success) return parsed.data;
  throw new HarnessError('usage', `The ${what} cannot be used: ${z.prettifyError(parsed.error)}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) throw new HarnessError('usage', 'The body is not JSON.', { cause: error });
    throw error;
  }
}
