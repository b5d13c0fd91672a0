/** `/v1/messages/batches`: requests that are answered together and later, at half price (docs/internals/api-rules.md §5.2). */
import { jsonOutcome, listPage, type HttpOutcome } from '../outcome.ts';
import { chainDigest } from '../request/parts.ts';
import { errorBody, invalidRequest, type ApiError } from '../request/refusal.ts';
import type { BatchFault, BatchFaultKind } from './batch-fault.ts';
import type { BatchRoute } from '../rules/http-rules.ts';
import {
  describeBatch,
  getExpiry,
  notInBatch,
  readRequests,
  type BatchCall,
  type BatchRequest,
  type BatchResult,
  type SimulatedBatch,
} from './batch-shape.ts';

/** Answers one request of a batch by the same rules and scripts as a live call. */
export type AnswerOne = (params: BatchRequest['params'], batch: BatchCall) => HttpOutcome;

export type BatchEndpointOptions = {
  now: () => Date;
  /** The time until a batch ends, in milliseconds. */
  delayMs: number;
  faults: readonly BatchFault[];
};

export type BatchEndpoint = {
  answer(call: BatchCall, route: BatchRoute, one: AnswerOne): HttpOutcome | ApiError;
  /** All batches in the order of creation. */
  readonly batches: readonly SimulatedBatch[];
};

type HeldBatch = SimulatedBatch & { call: BatchCall; faults: Set<BatchFaultKind> };

const OVERLOADED: ApiError = { status: 529, type: 'overloaded_error', message: 'Simulated: overloaded' };
const BROKEN: ApiError = { status: 500, type: 'api_error', message: 'Simulated: internal server error' };

export function createBatchEndpoint({ now, delayMs, faults }: BatchEndpointOptions): BatchEndpoint {
  const batches: HeldBatch[] = [];
  let sent = 0;

  const create = (call: BatchCall): HttpOutcome | ApiError => {
    if (call.body === null)
      return { status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size of 256 MB' };
    const requests = readRequests(call.body);
    if (!isList(requests)) return requests;
    sent += 1;
    const due = new Set(faults.filter(({ nth }) => nth === sent).map(({ kind }) => kind));
    if (due.has('not_created')) return BROKEN;
    const id = `msgbatch_${chainDigest(String(sent), call.body).slice(0, 24)}`;
    const batch = { id, createdAt: now(), requests, call: { ...call, body: '' }, faults: due };
    batches.push(batch);
    const described = jsonOutcome(describeBatch(batch, readOrigin(call)));
    return due.has('answer_lost') ? { ...described, chunks: ['{'], hangUp: true } : described;
  };

  const lookAt = (id: string, one: AnswerOne): HeldBatch | undefined => {
    const batch = batches.find((held) => held.id === id);
    if (batch !== undefined && batch.results === undefined && isDone(batch, { now: now(), delayMs }))
      endBatch(batch, now(), one);
    return batch;
  };

  const answerOne = (call: BatchCall, { id, does }: Extract<BatchRoute, { to: 'batch' }>, one: AnswerOne) => {
    const batch = lookAt(id, one);
    if (batch === undefined) return notFound(id);
    if (does === 'retrieve' && batch.faults.delete('status_500')) return BROKEN;
    if (does === 'cancel' && batch.results === undefined) batch.cancelledAt ??= now();
    return does === 'results' ? respondWithResults(batch) : jsonOutcome(describeBatch(batch, readOrigin(call)));
  };

  return {
    batches,
    answer: (call, route, one) => {
      if (route.to === 'batch') return answerOne(call, route, one);
      if (route.does === 'create') return create(call);
      for (const { id } of batches) lookAt(id, one);
      const page = listPage(batches.toReversed(), call.query, (batch) => describeBatch(batch, readOrigin(call)));
      return 'status' in page ? page : jsonOutcome(page);
    },
  };
}

function isList(found: readonly BatchRequest[] | ApiError): found is readonly BatchRequest[] {
  return Array.isArray(found);
}

function notFound(id: string): ApiError {
  return { status: 404, type: 'not_found_error', message: `batch: ${id}` };
}

function isDone(batch: HeldBatch, { now, delayMs }: { now: Date; delayMs: number }): boolean {
  if (batch.cancelledAt !== undefined || now >= getExpiry(batch)) return true;
  return !batch.faults.has('stuck') && now.getTime() - batch.createdAt.getTime() >= delayMs;
}

function endBatch(batch: HeldBatch, now: Date, one: AnswerOne): void {
  const late = now >= getExpiry(batch);
  const lines = batch.requests.map(({ custom_id, params }, index) => {
    const result =
      (late ? missedResult('expired') : findMissed(batch, index)) ?? processRequest(params, batch.call, one);
    return { custom_id, result };
  });
  batch.endedAt = now;
  // Shuffled by digest, so that no client can rely on the order.
  batch.results = lines.toSorted((a, b) =>
    chainDigest(a.custom_id, 'order') < chainDigest(b.custom_id, 'order') ? -1 : 1,
  );
}

/** A fault hits every second request, so that a test can see that the others are left alone. */
function findMissed({ faults, cancelledAt }: HeldBatch, index: number): BatchResult | undefined {
  if (faults.has('expired')) return missedResult('expired');
  if (index % 2 === 0) return undefined;
  if (cancelledAt !== undefined || faults.has('half_canceled')) return missedResult('canceled');
  if (faults.has('half_expired')) return missedResult('expired');
  return faults.has('half_errored') ? erroredResult(OVERLOADED) : undefined;
}

function missedResult(type: 'canceled' | 'expired'): BatchResult {
  return { type };
}

function erroredResult(error: ApiError): BatchResult {
  return { type: 'errored', error: errorBody(error, 'req_batch') };
}

function processRequest(params: BatchRequest['params'], call: BatchCall, one: AnswerOne): BatchResult {
  const refused = notInBatch(params);
  if (refused !== undefined) return erroredResult(refused);
  const { status, chunks, hangUp } = one(params, call);
  if (hangUp) return erroredResult(BROKEN);
  const body = JSON.parse([...chunks].join('')) as Record<string, unknown>;
  if (status !== 200) return { type: 'errored', error: body };
  const usage = { ...(body['usage'] as Record<string, unknown>), service_tier: 'batch' };
  return { type: 'succeeded', message: { ...body, usage } };
}

function respondWithResults(batch: HeldBatch): HttpOutcome | ApiError {
  const { id, results, faults } = batch;
  if (results === undefined) return invalidRequest(`${id} has not ended: it has no results yet`);
  const lines = results.map((line) => `${JSON.stringify(line)}\n`).join('');
  const torn = faults.delete('results_torn');
  return {
    status: 200,
    headers: { 'content-type': 'application/x-jsonl' },
    chunks: [torn ? lines.slice(0, lines.length / 2) : lines],
    hangUp: torn,
  };
}

function readOrigin({ headers }: BatchCall): string {
  return `http://${headers.host ?? '127.0.0.1'}`;
}
