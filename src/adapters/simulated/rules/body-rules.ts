/** What a body must be before its meaning is looked at: whole JSON of the right shape (docs/api-rules.md §9, 2). */
import type { z } from 'zod';
import { type ApiError, type Rule, invalid } from '../request/refusal.ts';
import { ApiRequest, CountRequest } from '../request/shape.ts';

export type ApiEndpoint = 'messages' | 'count_tokens';
export type RawBody = { endpoint: ApiEndpoint; body: unknown };

const MAX_DEPTH = 200;

/** Fields of the real API that this server knows of and does not play. */
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

/** Half a character, as a careless cut leaves it, is not JSON to the API; what is too deep would break our own walks. */
function textFault(value: unknown, depth = 0): ApiError | undefined {
  if (typeof value === 'string') {
    return value.isWellFormed()
      ? undefined
      : invalid('The request body is not valid JSON: no low surrogate in string (or no high one before it)');
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > MAX_DEPTH) return invalid(`The request body is nested deeper than ${MAX_DEPTH} levels`);
  for (const [key, inner] of Object.entries(value)) {
    const fault = textFault(key) ?? textFault(inner, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function notSimulated(body: unknown): ApiError | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const field = NOT_SIMULATED.find((name) => Object.hasOwn(body, name));
  return field === undefined
    ? undefined
    : invalid(
        `${field}: this feature of the Messages API is not simulated; leave the field out, or use the real endpoint`,
      );
}

function shapeFault(endpoint: ApiEndpoint, body: unknown): ApiError | undefined {
  const parsed = (endpoint === 'messages' ? ApiRequest : CountRequest).safeParse(body);
  const issue = parsed.error?.issues[0];
  return issue === undefined ? undefined : invalid(describe(issue, body));
}

type Issue = z.core.$ZodIssue;

/** In the API's words, with the path of the value. */
function describe(issue: Issue, body: unknown): string {
  const { path, leaf } = deepest(issue, []);
  if (leaf.code === 'unrecognized_keys') return `${[...path, leaf.keys[0]].join('.')}: Extra inputs are not permitted`;
  const at = path.join('.') || 'body';
  const value = valueAt(body, path);
  if (value === undefined) return `${at}: Field required`;
  if (leaf.code === 'invalid_union' && 'discriminator' in leaf && leaf.discriminator !== undefined) {
    return `${at}: Input tag '${excerpt(value)}' found using 'type' does not match any of the expected tags`;
  }
  return `${at}: ${leaf.message}, and ${excerpt(value)} came`;
}

/** Of a union's branches, the one that got furthest: its complaint is the one that helps. */
function deepest(issue: Issue, before: readonly PropertyKey[]): { path: PropertyKey[]; leaf: Issue } {
  const path = [...before, ...issue.path];
  if (issue.code !== 'invalid_union') return { path, leaf: issue };
  const inner = issue.errors.flat().map((branch) => deepest(branch, path));
  const furthest = inner.toSorted((a, b) => b.path.length - a.path.length)[0];
  return furthest === undefined || furthest.path.length === path.length ? { path, leaf: issue } : furthest;
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    body,
  );
}

function excerpt(value: unknown): string {
  return JSON.stringify(value).slice(0, 80);
}
