/** The checks of a body before its meaning is looked at: whole JSON of the right shape (docs/internals/api-rules.md §9, 2). */
import type { z } from 'zod';
import { type ApiError, type Rule, invalidRequest } from '../request/refusal.ts';
import { ApiRequest, CountRequest } from '../request/shape.ts';

export type ApiEndpoint = 'messages' | 'count_tokens';
export type RawBody = { endpoint: ApiEndpoint; body: unknown };

const MAX_DEPTH = 200;

/** Fields of the real API that this server knows and does not simulate. */
const NOT_SIMULATED = ['context_management', 'container', 'mcp_servers', 'speed', 'fallbacks', 'thread'];

export const BODY_RULES: readonly Rule<RawBody>[] = [
  { id: 'body_well_formed', check: ({ body }) => textFault(body) },
  { id: 'body_simulated', check: ({ body }) => notSimulated(body) },
  { id: 'body_shape', check: ({ endpoint, body }) => shapeFault(endpoint, body) },
];

/** Contract: the body has passed `BODY_RULES`. */
export function readRequest({ endpoint, body }: RawBody): ApiRequest {
  return endpoint === 'messages' ? ApiRequest.parse(body) : { ...CountRequest.parse(body), max_tokens: 0 };
}

/** The API refuses half a surrogate pair as invalid JSON; values nested too deeply would break our own recursion. */
function textFault(value: unknown, depth = 0): ApiError | undefined {
  if (typeof value === 'string') {
    if (value.isWellFormed()) return undefined;
    return invalidRequest('The request body is not valid JSON: no low surrogate in string (or no high one before it)');
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > MAX_DEPTH) return invalidRequest(`The request body is nested deeper than ${MAX_DEPTH} levels`);
  for (const [key, inner] of Object.entries(value)) {
    const fault = textFault(key) ?? textFault(inner, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function notSimulated(body: unknown): ApiError | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const field = NOT_SIMULATED.find((name) => Object.hasOwn(body, name));
  if (field === undefined) return undefined;
  return invalidRequest(
    `${field}: this feature of the Messages API is not simulated; leave the field out, or use the real endpoint`,
  );
}

function shapeFault(endpoint: ApiEndpoint, body: unknown): ApiError | undefined {
  const parsed = (endpoint === 'messages' ? ApiRequest : CountRequest).safeParse(body);
  const issue = parsed.error?.issues[0];
  return issue === undefined ? undefined : invalidRequest(describeIssue(issue, body));
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
