/** The checks of a body before its meaning is looked at: whole JSON of the right shape (docs/internals/api-rules.md §9, 2). */
import type { z } from 'zod';
import { isJsonObject } from '../../../scenario/json/json-value.ts';
import type { Rules } from '../request/refusal.ts';
import { ApiRequest, CountRequest } from '../request/shape.ts';

export type ApiEndpoint = 'messages' | 'count_tokens';
export type RawBody = { endpoint: ApiEndpoint; body: unknown };

const MAX_DEPTH = 200;

/** Fields of the real API that this server knows and does not simulate. */
const NOT_SIMULATED = ['context_management', 'container', 'mcp_servers', 'speed', 'fallbacks', 'thread'];

export const BODY_RULES: Rules<RawBody> = {
  body_well_formed: ({ body }) => textFault(body),

  body_simulated: ({ body }) => {
    const field = isJsonObject(body) && NOT_SIMULATED.find((name) => Object.hasOwn(body, name));
    return (
      field &&
      `${field}: this feature of the Messages API is not simulated; leave the field out, or use the real endpoint`
    );
  },

  body_shape: ({ endpoint, body }) => {
    const [issue] = (endpoint === 'messages' ? ApiRequest : CountRequest).safeParse(body).error?.issues ?? [];
    return issue && describeIssue(issue, body);
  },
};

/** Contract: the body has passed `BODY_RULES`. */
export function readRequest({ endpoint, body }: RawBody): ApiRequest {
  return endpoint === 'messages' ? ApiRequest.parse(body) : { ...CountRequest.parse(body), max_tokens: 0 };
}

/** The API refuses half a surrogate pair as invalid JSON; values nested too deeply would break our own recursion. */
function textFault(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') {
    if (value.isWellFormed()) return undefined;
    return 'The request body is not valid JSON: no low surrogate in string (or no high one before it)';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > MAX_DEPTH) return `The request body is nested deeper than ${MAX_DEPTH} levels`;
  for (const [key, inner] of Object.entries(value)) {
    const fault = textFault(key) ?? textFault(inner, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

type Issue = z.core.$ZodIssue;

/** Formats a schema issue in the API's words, with the path of the value. */
function describeIssue(issue: Issue, body: unknown): string {
  const { path, leaf } = findDeepestIssue(issue, []);
  if (leaf.code === 'unrecognized_keys') return `${[...path, leaf.keys[0]].join('.')}: Extra inputs are not permitted`;
  const at = path.join('.') || 'body';
  const value = valueAt(body, path);
  if (value === undefined) return `${at}: Field required`;
  if (leaf.code === 'invalid_union' && 'discriminator' in leaf && leaf.discriminator !== undefined) {
    return `${at}: Input tag '${excerptValue(value)}' found using 'type' does not match any of the expected tags`;
  }
  return `${at}: ${leaf.message}, and ${excerptValue(value)} came`;
}

/** In a union, picks the branch that got furthest, because its issue is the most helpful. */
function findDeepestIssue(issue: Issue, before: readonly PropertyKey[]): { path: PropertyKey[]; leaf: Issue } {
  const path = [...before, ...issue.path];
  if (issue.code !== 'invalid_union') return { path, leaf: issue };
  const inner = issue.errors.flat().map((branch) => findDeepestIssue(branch, path));
  const furthest = inner.toSorted((a, b) => b.path.length - a.path.length)[0];
  return furthest === undefined || furthest.path.length === path.length ? { path, leaf: issue } : furthest;
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    body,
  );
}

function excerptValue(value: unknown): string {
  return JSON.stringify(value).slice(0, 80);
}
