/** What the batch endpoint accepts and returns: the rules for a body, and a batch as the API describes it. */
import { z } from 'zod';
import type { Head } from '../rules/http-rules.ts';
import { invalid, type ApiError } from '../request/refusal.ts';
import { parseJson } from '../../../parse-json.ts';

/** Null when the body was larger than the API takes. */
export type BatchCall = Head & { query: URLSearchParams; body: string | null };

const CUSTOM_ID = /^[a-zA-Z0-9_-]{1,64}$/;
const MOST_REQUESTS = 100_000;

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
  /** In the order in which they are returned; there when it has ended. */
  results?: readonly ResultLine[];
};

const LIFE_MS = 24 * 3_600_000;

export function expiryOf({ createdAt }: SimulatedBatch): Date {
  return new Date(createdAt.getTime() + LIFE_MS);
}

export function readRequests(text: string): readonly BatchRequest[] | ApiError {
  const body = CreateBody.safeParse(parseJson(text));
  const [issue] = body.error?.issues ?? [];
  if (issue !== undefined) return invalid(`${issue.path.join('.') || 'body'}: ${issue.message}`);
  const { requests } = body.data ?? { requests: [] };
  if (requests.length === 0) return invalid('requests: List should have at least 1 item');
  if (requests.length > MOST_REQUESTS) return invalid(`requests: List should have at most ${MOST_REQUESTS} items`);
  const ids = new Set<string>();
  for (const [index, { custom_id: id }] of requests.entries()) {
    if (!CUSTOM_ID.test(id))
      return invalid(`requests.${index}.custom_id: String should match pattern '${CUSTOM_ID.source}'`);
    if (ids.has(id)) return invalid(`requests.${index}.custom_id: must be unique in the batch, and ${id} came twice`);
    ids.add(id);
  }
  return requests;
}

/** Params that a live call takes and a batch does not. */
export function notInBatch(params: BatchRequest['params']): ApiError | undefined {
  const field = ['stream', 'speed'].find((name) => Object.hasOwn(params, name));
  if (field !== undefined) return invalid(`${field}: not allowed in a batch`);
  return params['max_tokens'] === 0 ? invalid('max_tokens: must be at least 1 in a batch') : undefined;
}

/** As `GET /v1/messages/batches/{id}` describes it; `origin` is where its results are. */
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
    expires_at: expiryOf(batch).toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    cancel_initiated_at: cancelledAt?.toISOString() ?? null,
    archived_at: null,
    results_url: ended ? `${origin}/v1/messages/batches/${id}/results` : null,
  };
}
