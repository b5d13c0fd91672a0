/** The request bodies that the batch endpoint accepts, and the batches that it returns. */
import { z } from 'zod';
import type { Head } from '../rules/http-rules.ts';
import { invalidRequest, type ApiError } from '../request/refusal.ts';
import { parseJson } from '../../../parse-json.ts';

/** `body` is null when it was larger than the API allows. */
export type BatchCall = Head & { query: URLSearchParams; body: string | null };

const CUSTOM_ID = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_REQUESTS = 100_000;

const CreateBody = z.strictObject({
  requests: z.array(z.strictObject({ custom_id: z.string(), params: z.record(z.string(), z.unknown()) })),
});
export type BatchRequest = z.infer<typeof CreateBody>['requests'][number];

export type BatchResult =
  | { type: 'succeeded'; message: Record<string, unknown> }
  | { type: 'errored'; error: unknown }
  | { type: 'canceled' | 'expired' };
export type ResultLine = { custom_id: string; result: BatchResult };

/** One batch in the server's memory. */
export type SimulatedBatch = {
  id: string;
  createdAt: Date;
  requests: readonly BatchRequest[];
  cancelledAt?: Date;
  endedAt?: Date;
  /** The results in the order in which they are returned; present once the batch has ended. */
  results?: readonly ResultLine[];
};

const LIFE_MS = 24 * 3_600_000;

export function getExpiry({ createdAt }: SimulatedBatch): Date {
  return new Date(createdAt.getTime() + LIFE_MS);
}

export function readRequests(text: string): readonly BatchRequest[] | ApiError {
  const body = CreateBody.safeParse(parseJson(text));
  const [issue] = body.error?.issues ?? [];
  if (issue !== undefined) return invalidRequest(`${issue.path.join('.') || 'body'}: ${issue.message}`);
  const { requests } = body.data ?? { requests: [] };
  if (requests.length === 0) return invalidRequest('requests: List should have at least 1 item');
  if (requests.length > MAX_REQUESTS) return invalidRequest(`requests: List should have at most ${MAX_REQUESTS} items`);
  const ids = new Set<string>();
  for (const [index, { custom_id: id }] of requests.entries()) {
    if (!CUSTOM_ID.test(id))
      return invalidRequest(`requests.${index}.custom_id: String should match pattern '${CUSTOM_ID.source}'`);
    if (ids.has(id))
      return invalidRequest(`requests.${index}.custom_id: must be unique in the batch, and ${id} came twice`);
    ids.add(id);
  }
  return requests;
}

/** Finds parameters that a live call accepts and a batch does not. */
export function notInBatch(params: BatchRequest['params']): ApiError | undefined {
  const field = ['stream', 'speed'].find((name) => Object.hasOwn(params, name));
  if (field !== undefined) return invalidRequest(`${field}: not allowed in a batch`);
  return params['max_tokens'] === 0 ? invalidRequest('max_tokens: must be at least 1 in a batch') : undefined;
}

/** Describes a batch as `GET /v1/messages/batches/{id}` does; `origin` is the host of its results. */
export function describeBatch(batch: SimulatedBatch, origin: string): Record<string, unknown> {
  const { id, createdAt, endedAt, cancelledAt, results } = batch;
  const counted = (type: BatchResult['type']): number =>
    (results ?? []).filter(({ result }) => result.type === type).length;
  const ended = results !== undefined;
  return {
    id,
    type: 'message_batch',
    processing_status: ended ? 'ended' : cancelledAt === undefined ? 'in_progress' : 'canceling',
    request_counts: {
      processing: ended ? 0 : batch.requests.length,
      succeeded: counted('succeeded'),
      errored: counted('errored'),
      canceled: counted('canceled'),
      expired: counted('expired'),
    },
    created_at: createdAt.toISOString(),
    expires_at: getExpiry(batch).toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    cancel_initiated_at: cancelledAt?.toISOString() ?? null,
    archived_at: null,
    results_url: ended ? `${origin}/v1/messages/batches/${id}/results` : null,
  };
}
