/** `/v1/messages/batches`: requests that are answered together and later, at half the price (docs/api-rules.md §5.2). */
import { jsonOutcome, type HttpOutcome } from '../outcome.ts';
import { link } from '../request/canonical.ts';
import { errorBody, invalid, type ApiError } from '../request/refusal.ts';
import type { BatchFault, BatchFaultKind } from './batch-fault.ts';
import type { BatchRoute } from '../rules/http-rules.ts';
import {
  describeBatch,
  expiryOf,
  notInBatch,
  readRequests,
  type BatchCall,
  type BatchRequest,
  type BatchResult,
  type SimulatedBatch,
} from './batch-shape.ts';

/** A request of a batch through the same rules and scripts as a live one. */
export type AnswerOne = (params: BatchRequest['params'], batch: BatchCall) => HttpOutcome;

export type BatchEndpointOptions = {
  now: () => Date;
  /** How long a batch takes. */
  delayMs: number;
  faults: readonly BatchFault[];
};

export type BatchEndpoint = {
  answer(call: BatchCall, route: BatchRoute, one: AnswerOne): HttpOutcome | ApiError;
  /** In the order of creation. */
  readonly batches: readonly SimulatedBatch[];
};

type Held = SimulatedBatch & { call: BatchCall; faults: Set<BatchFaultKind> };

const OVERLOADED: ApiError = { status: 529, type: 'overloaded_error', message: 'Simulated: overloaded' };
const BROKEN: ApiError = { status: 500, type: 'api_error', message: 'Simulated: internal server error' };

export function createBatchEndpoint({ now, delayMs, faults }: BatchEndpointOptions): BatchEndpoint {
  const batches: Held[] = [];
  let sent = 0;

  const create = (call: BatchCall): HttpOutcome | ApiError => {
    if (call.body === null)
      return { status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size of 256 MB' };
    const requests = readRequests(call.body);
    if (!isList(requests)) return requests;
    sent += 1;
    const due = new Set(faults.filter(({ nth }) => nth === sent).map(({ kind }) => kind));
    if (due.has('not_created')) return BROKEN;
    const id = `msgbatch_${link(String(sent), call.body).slice(0, 24)}`;
    const batch = { id, createdAt: now(), requests, call: { ...call, body: '' }, faults: due };
    batches.push(batch);
    const described = jsonOutcome(describeBatch(batch, originOf(call)));
    return due.has('answer_lost') ? { ...described, chunks: ['{'], hangUp: true } : described;
  };

  const lookAt = (id: string, one: AnswerOne): Held | undefined => {
    const batch = batches.find((held) => held.id === id);
    if (batch !== undefined && batch.results === undefined && isDone(batch, { now: now(), delayMs }))
      end(batch, now(), one);
    return batch;
  };

  const answerOne = (call: BatchCall, { id, does }: Extract<BatchRoute, { to: 'batch' }>, one: AnswerOne) => {
    const batch = lookAt(id, one);
    if (batch === undefined) return notFound(id);
    if (does === 'retrieve' && batch.faults.delete('status_500')) return BROKEN;
    if (does === 'cancel' && batch.results === undefined) batch.cancelledAt ??= now();
    if (does === 'delete') {
      if (batch.results === undefined) return invalid(`${id} is still processed: cancel it before it is deleted`);
      batches.splice(batches.indexOf(batch), 1);
      return jsonOutcome({ id, type: 'message_batch_deleted' });
    }
    return does === 'results' ? resultsOf(batch) : jsonOutcome(describeBatch(batch, originOf(call)));
  };

  return {
    batches,
    answer: (call, route, one) => {
      if (route.to === 'batch') return answerOne(call, route, one);
      if (route.does === 'create') return create(call);
      for (const { id } of batches) lookAt(id, one);
      return list(batches, call);
    },
  };
}

function isList(found: readonly BatchRequest[] | ApiError): found is readonly BatchRequest[] {
  return Array.isArray(found);
}

function notFound(id: string): ApiError {
  return { status: 404, type: 'not_found_error', message: `batch: ${id}` };
}

function isDone(batch: Held, { now, delayMs }: { now: Date; delayMs: number }): boolean {
  if (batch.cancelledAt !== undefined || now >= expiryOf(batch)) return true;
  return !batch.faults.has('stuck') && now.getTime() - batch.createdAt.getTime() >= delayMs;
}

function end(batch: Held, now: Date, one: AnswerOne): void {
  const late = now >= expiryOf(batch);
  const lines = batch.requests.map(({ custom_id, params }, index) => {
    const result = (late ? missed('expired') : missedBy(batch, index)) ?? processed(params, batch.call, one);
    return { custom_id, result };
  });
  batch.endedAt = now;
  // In no order that a client could rely on.
  batch.results = lines.toSorted((a, b) => (link(a.custom_id, 'order') < link(b.custom_id, 'order') ? -1 : 1));
}

/** Every second request is hit, so that the others show that they are left alone. */
function missedBy({ faults, cancelledAt }: Held, index: number): BatchResult | undefined {
  if (faults.has('expired')) return missed('expired');
  if (index % 2 === 0) return undefined;
  if (cancelledAt !== undefined || faults.has('half_canceled')) return missed('canceled');
  if (faults.has('half_expired')) return missed('expired');
  return faults.has('half_errored') ? errored(OVERLOADED) : undefined;
}

function missed(type: 'canceled' | 'expired'): BatchResult {
  return { type };
}

function errored(error: ApiError): BatchResult {
  return { type: 'errored', error: errorBody(error, 'req_batch') };
}

function processed(params: BatchRequest['params'], call: BatchCall, one: AnswerOne): BatchResult {
  const refused = notInBatch(params);
  if (refused !== undefined) return errored(refused);
  const { status, chunks, hangUp } = one(params, call);
  if (hangUp) return errored(BROKEN);
  const body = JSON.parse([...chunks].join('')) as Record<string, unknown>;
  if (status !== 200) return { type: 'errored', error: body };
  const usage = { ...(body['usage'] as Record<string, unknown>), service_tier: 'batch' };
  return { type: 'succeeded', message: { ...body, usage } };
}

function resultsOf(batch: Held): HttpOutcome | ApiError {
  const { id, results, faults } = batch;
  if (results === undefined) return invalid(`${id} has not ended: it has no results yet`);
  const lines = results.map((line) => `${JSON.stringify(line)}\n`).join('');
  const torn = faults.delete('results_torn');
  return {
    status: 200,
    headers: { 'content-type': 'application/x-jsonl' },
    chunks: [torn ? lines.slice(0, lines.length / 2) : lines],
    hangUp: torn,
  };
}

/** Newest first. */
function list(batches: readonly SimulatedBatch[], call: BatchCall): HttpOutcome | ApiError {
  const limit = Number(call.query.get('limit') ?? '20');
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
    return invalid('limit: Input should be between 1 and 1000');
  const all = batches.toReversed();
  const at = (name: string): number => all.findIndex(({ id }) => id === call.query.get(name));
  const isBackward = call.query.has('before_id');
  const start = isBackward ? Math.max(at('before_id') - limit, 0) : at('after_id') + 1;
  const page = all.slice(start, isBackward ? at('before_id') : start + limit);
  const origin = originOf(call);
  return jsonOutcome({
    data: page.map((batch) => describeBatch(batch, origin)),
    has_more: isBackward ? start > 0 : start + limit < all.length,
    first_id: page.at(0)?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  });
}

function originOf({ headers }: BatchCall): string {
  return `http://${headers.host ?? '127.0.0.1'}`;
}
