/** The model port over the Messages API: streamed, tried again where that can help, and never a key in any text. */
import { type Anthropic, AnthropicError, APIError } from '@anthropic-ai/sdk';
import { isHarnessError, describeError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { ProviderAllowances, ProviderAllowance } from '../../ports/limits.ts';
import type { CallTerms, Model, ModelRequest, ModelResponse } from '../../ports/model.ts';
import { billFailedTry, isWhole } from './failed-try-bill.ts';
import { createClient, createRecordingClient, type EndpointOptions, probeEndpoint } from './endpoint.ts';
import { judgeFailure } from './failure.ts';
import { learnRefusedFields, toMessageParam, withoutFields } from './refused-fields.ts';
import {
  createStreamReader,
  type StreamReader,
  createDamagedError,
  toModelResponse,
  type ParsedResponse,
} from './response.ts';
import { FailedTry, retryCall, type RetryOptions } from './retry.ts';

export type BeforeRetry = (
  request: ModelRequest,
  retryAfterMs: number | undefined,
  signal: AbortSignal,
) => Promise<void>;

export type AnthropicModelOptions = EndpointOptions &
  Omit<RetryOptions, 'again'> & {
    /** Called before a request is sent once more; resolves when it may be sent. */
    again?: BeforeRetry | undefined;
    /** Reports each thing in an answer that this version does not know, in words. */
    onNews?: (what: string) => void;
    /** Receives the provider's own limits as the headers of an answer or an error state them. */
    learn?: ((model: string, allowances: ProviderAllowances) => void) | undefined;
  };

export function createAnthropicModel(options: AnthropicModelOptions): Model {
  const client = createClient(options);
  const refused = new Set<string>();
  return {
    call: (request, signal, terms = {}) => {
      let tries = 0;
      const attempt = async (): Promise<ModelResponse> => {
        tries += 1;
        if (tries > 1) await reserveNextTry(terms);
        terms.onPhase?.('sent');
        const args = { request: withoutFields(request, refused), signal, terms };
        return callOnce(client, args, options)
          .catch((error: unknown) => learnRefusedFields(error, args.request, refused))
          .finally(() => terms.onPhase?.('waiting'));
      };
      const reachable = async (within: AbortSignal) => (await probeEndpoint(options, within)).reachable;
      return retryCall(attempt, { ...toRetryOptions(options, request), reachable }, signal);
    },
    // Providers do not limit token counts, so no slot is needed.
    countTokens: (request, signal) =>
      retryCall(
        () => countOnce(client, { request, signal }, options),
        toRetryOptions({ ...options, again: undefined }, request),
        signal,
      ),
  };
}

function toRetryOptions({ again, ...options }: AnthropicModelOptions, request: ModelRequest): RetryOptions {
  if (again === undefined) return options;
  return { ...options, again: (retryAfterMs, signal) => again(request, retryAfterMs, signal) };
}

/** Rejects with a final `FailedTry` when no money can be reserved for the next try. */
async function reserveNextTry({ onNextTry }: CallTerms): Promise<void> {
  await onNextTry?.().catch((error: unknown) => {
    if (isHarnessError(error)) throw new FailedTry({ error, again: false });
    throw error;
  });
}

/** The arguments of `Model.call`. */
type CallArgs = { request: ModelRequest; signal: AbortSignal; terms?: CallTerms };

async function callOnce(client: Anthropic, args: CallArgs, options: AnthropicModelOptions): Promise<ModelResponse> {
  args.signal.throwIfAborted();
  const { onExchange } = args.terms ?? {};
  if (onExchange === undefined) return tryOnce(client, args, options);
  const heard = createRecordingClient(client, options);
  return tryOnce(heard.client, args, options).finally(() => {
    const exchange = heard.exchange();
    if (exchange !== undefined) onExchange(exchange);
  });
}

async function tryOnce(client: Anthropic, args: CallArgs, options: AnthropicModelOptions): Promise<ModelResponse> {
  const { baseUrl, apiKey, onNews, learn } = options;
  const hear = (headers: Headers | undefined): void => {
    const allowances = readAllowances(headers);
    if (allowances !== undefined) learn?.(args.request.model, allowances);
  };
  const reader = createStreamReader(args.terms?.onText);
  let requestId: string | undefined;
  try {
    await readAnswer(client, args, { reader, note: (id) => (requestId = id ?? undefined), hear });
    const { response, news } = parseAnswer(reader, requestId);
    for (const what of [...reader.news, ...news]) onNews?.(what);
    return isWhole(reader.heard().usage) ? response : { ...response, usageUnknown: true };
  } catch (error) {
    if (error instanceof APIError) hear(error.headers);
    const bill = billFailedTry(error, reader.heard());
    await args.terms?.onFailedTry?.(bill);
    const free = bill.billed === 'none';
    if (isHarnessError(error)) throw new FailedTry({ error, again: error.retryable, free });
    const failure = judgeFailure(error, omitUndefined({ baseUrl, apiKey, requestId }), Date.now());
    throw new FailedTry({ ...failure, free });
  }
}

type AnswerReading = {
  reader: StreamReader;
  note: (id: string | null | undefined) => void;
  hear: (headers: Headers) => void;
};

/** Reads the raw events, because the vendor's own reader drops fields and events that it does not know. */
async function readAnswer(client: Anthropic, args: CallArgs, { reader, note, hear }: AnswerReading): Promise<void> {
  const { request, signal, terms = {} } = args;
  // Streamed, because a plain call is cut off by the vendor above 21 333 output tokens (docs/internals/api-rules.md §3).
  const {
    data: events,
    request_id,
    response,
  } = await (request.betas === undefined
    ? client.messages.create({ ...toParams(request, terms), stream: true }, { signal }).withResponse()
    : client.beta.messages.create({ ...toBetaParams(request, terms), stream: true }, { signal }).withResponse());
  note(request_id);
  hear(response.headers);
  try {
    for await (const event of events) reader.take(event);
  } catch (error) {
    // The vendor passes on errors of the socket and of the JSON parser as they are.
    throw error instanceof AnthropicError ? error : new AnthropicError(describeError(error), { cause: error });
  }
  signal.throwIfAborted();
}

/** Stop reasons that cut an answer: its tool call is never run, so only there may the input be half an object. */
const CUTTING_STOPS = new Set(['max_tokens', 'model_context_window_exceeded', 'refusal']);

function parseAnswer(reader: StreamReader, requestId: string | undefined): ParsedResponse {
  const { message, badInput } = reader.finish() ?? {};
  if (message === undefined) throw new AnthropicError('the stream ended before the answer did');
  if (typeof message['stop_reason'] !== 'string') throw new AnthropicError('the stream ended without a stop reason');
  if (badInput !== undefined && !CUTTING_STOPS.has(message['stop_reason']))
    throw createDamagedError(`the input of its call of "${badInput}" is not whole JSON`, requestId);
  return toModelResponse(message, requestId);
}

async function countOnce(
  client: Anthropic,
  { request, signal }: CallArgs,
  { baseUrl, apiKey }: EndpointOptions,
): Promise<number> {
  signal.throwIfAborted();
  try {
    const { model, messages, system = [], tools = [], thinking } = toParams(request);
    const counted = omitUndefined({ model, messages, system, tools, thinking });
    return (await client.messages.countTokens(counted, { signal })).input_tokens;
  } catch (error) {
    throw new FailedTry(judgeFailure(error, { baseUrl, apiKey }, Date.now()));
  }
}

/** The same request with the beta header that the API's own compaction, droppable thinking and task budgets need. */
function toBetaParams(
  request: ModelRequest,
  terms: CallTerms,
): Anthropic.Beta.Messages.MessageCreateParamsNonStreaming {
  const { betas = [], compaction, output_config } = request;
  const params = toParams(request, terms) as unknown as Anthropic.Beta.Messages.MessageCreateParamsNonStreaming;
  return {
    ...params,
    ...omitUndefined({ betas, output_config, compaction: compaction && withSendableText(compaction) }),
  };
}

/**
 * Copies the request field by field, so that only fields of the port are sent: no sampling parameters, ever
 * (docs/internals/api-rules.md §0).
 */
export function toParams(request: ModelRequest, terms: CallTerms = {}): Anthropic.MessageCreateParamsNonStreaming {
  return withSendableText({
    model: request.model,
    max_tokens: terms.maxTokens?.() ?? request.max_tokens,
    messages: request.messages.map(toMessageParam),
    ...(request.system.length === 0 ? {} : { system: request.system }),
    ...(request.tools.length === 0 ? {} : { tools: request.tools }),
    ...omitUndefined({ thinking: request.thinking }),
  });
}

const NAMES = {
  requests: 'requests',
  tokens: 'tokens',
  inputTokens: 'input-tokens',
  outputTokens: 'output-tokens',
} as const satisfies Record<keyof ProviderAllowances, string>;

/** Returns undefined when no header states a usable limit. */
export function readAllowances(headers: Headers | undefined): ProviderAllowances | undefined {
  const found = Object.entries(NAMES).flatMap(([kind, name]) => {
    const limit = wholeNumber(headers?.get(`anthropic-ratelimit-${name}-limit`));
    const remaining = wholeNumber(headers?.get(`anthropic-ratelimit-${name}-remaining`));
    if (limit === undefined || remaining === undefined || limit === 0) return [];
    const allowance: ProviderAllowance = { limit, remaining: Math.min(limit, remaining) };
    return [[kind, allowance] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function wholeNumber(text: string | null | undefined): number | undefined {
  return text !== null && text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}

/** The JSON escapes of NUL and of lone surrogates; a text that quotes one is only checked more closely. */
const SUSPECT = /\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/**
 * Returns the same value when nothing is wrong with it. The replacement depends on the text alone, so a conversation is
 * sent the same way each time, and thinking stays bound to what was sent before it.
 */
function withSendableText<T>(value: T): T {
  return SUSPECT.test(JSON.stringify(value)) ? (cleanStrings(value) as T) : value;
}

function cleanStrings(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd').toWellFormed();
  if (Array.isArray(value)) return value.map(cleanStrings);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [cleanStrings(key), cleanStrings(part)]));
}
