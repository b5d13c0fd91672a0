/** The batch endpoint as the waves use it: each request is sent once, and failures are judged as for all calls. */
import type Anthropic from '@anthropic-ai/sdk';
import { AnthropicError, APIError } from '@anthropic-ai/sdk';
import { describeError, usageError } from '../../../errors.ts';
import { createClient, type EndpointOptions } from '../endpoint.ts';
import { judgeFailure, type CallFailure } from '../failure.ts';
import { FailedTry } from '../retry.ts';

export type BatchParams = Anthropic.MessageCreateParamsNonStreaming;
export type BatchRequest = { custom_id: string; params: BatchParams };

/** A batch as the endpoint describes it. */
export type BatchStatus = {
  id: string;
  ended: boolean;
  cancelling: boolean;
  size: number;
  expiresAt: string;
  counts: string;
};

export type BatchOutcome =
  | { type: 'succeeded'; message: unknown }
  /** The request was neither processed nor billed. */
  | { type: 'missed'; why: 'expired' | 'canceled' }
  | { type: 'errored'; failure: CallFailure };

/** Contract: rejects with `FailedTry`, or with the signal's reason. */
export type BatchesApi = {
  newest(signal: AbortSignal): Promise<string | null>;
  /** Rejects with `BatchNotCreated` when the endpoint certainly created no batch. */
  create(requests: BatchRequest[]): Promise<BatchStatus>;
  look(id: string, signal: AbortSignal): Promise<BatchStatus>;
  cancel(id: string, signal: AbortSignal): Promise<void>;
  /** Every batch that was created after `id`, newest first. */
  newerThan(id: string | null, signal: AbortSignal): Promise<BatchStatus[]>;
  results(id: string, signal: AbortSignal): Promise<Map<string, BatchOutcome>>;
};

/** The endpoint refused the batch as a whole. */
export class BatchNotCreated extends FailedTry {}

/** The longest listing that is read: so many batches are never created while one is being sent. */
const MOST_LISTED = 2000;
const PAGE = 100;

export function openBatchesApi(options: EndpointOptions): BatchesApi {
  const { batches } = createClient(options).messages;
  const failed = (error: unknown, where?: string): CallFailure =>
    judgeFailure(error, { ...options, ...(where === undefined ? {} : { where }) }, Date.now());
  const trying = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      // When results break off, the vendor passes on errors of the socket and of the JSON parser as they are.
      const known =
        error instanceof AnthropicError ? error : new AnthropicError(describeError(error), { cause: error });
      throw new FailedTry(failed(known));
    }
  };
  return {
    newest: (signal) => trying(signal, async () => (await batches.list({ limit: 1 }, { signal })).data[0]?.id ?? null),
    create: async (requests) => {
      try {
        return toBatchStatus(await batches.create({ requests }));
      } catch (error) {
        const { status } = error instanceof APIError ? error : {};
        const isRefused = status !== undefined && status >= 400 && status < 500 && status !== 408;
        throw isRefused ? new BatchNotCreated(failed(error)) : new FailedTry(failed(error));
      }
    },
    look: (id, signal) => trying(signal, async () => toBatchStatus(await batches.retrieve(id, null, { signal }))),
    cancel: (id, signal) => trying(signal, async () => void (await batches.cancel(id, null, { signal }))),
    newerThan: (id, signal) =>
      trying(signal, async () => {
        const found: BatchStatus[] = [];
        for await (const batch of batches.list({ limit: PAGE }, { signal })) {
          if (batch.id === id || found.length >= MOST_LISTED) break;
          found.push(toBatchStatus(batch));
        }
        return found;
      }),
    results: (id, signal) =>
      trying(signal, async () => {
        const found = new Map<string, BatchOutcome>();
        for await (const { custom_id, result } of await batches.results(id, undefined, { signal }))
          found.set(
            custom_id,
            toBatchOutcome(result, (error) => failed(error, 'an error in the batch,')),
          );
        return found;
      }),
  };
}

function toBatchStatus(batch: Anthropic.Messages.MessageBatch): BatchStatus {
  const { id, processing_status: status, expires_at: expiresAt } = batch;
  const counts = Object.entries(batch.request_counts).filter(([, count]) => count > 0);
  return {
    id,
    expiresAt,
    ended: status === 'ended',
    cancelling: batch.cancel_initiated_at !== null,
    size: counts.reduce((sum, [, count]) => sum + count, 0),
    counts: counts.map(([name, count]) => `${count} ${name}`).join(', '),
  };
}

type JudgeFailure = (error: unknown) => CallFailure;

function toBatchOutcome(result: Anthropic.Messages.MessageBatchResult, judge: JudgeFailure): BatchOutcome {
  if (result.type === 'succeeded') return { type: 'succeeded', message: result.message };
  if (result.type === 'errored')
    return { type: 'errored', failure: judge(new APIError(undefined, result.error, undefined, undefined)) };
  return { type: 'missed', why: result.type };
}

/** Contract: `usage` where the endpoint has no batches, before anything is paid. */
export async function checkBatches(options: EndpointOptions, signal: AbortSignal): Promise<void> {
  const api = openBatchesApi(options);
  const error: unknown = await api.newest(signal).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  signal.throwIfAborted();
  if (error === undefined) return;
  if (!(error instanceof FailedTry)) throw error;
  const { error: why } = error.failure;
  const { status } = why.details;
  if (status !== 404 && status !== 405) throw why;
  throw usageError(
    `${options.baseUrl} takes no batches (GET /v1/messages/batches answers ${status}): leave --economy out, or use an endpoint that has them.`,
    { cause: why },
  );
}
