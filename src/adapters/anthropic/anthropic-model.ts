/** The model port over the Messages API: streamed, tried again where that can help, and never a key in any text. */
import type Anthropic from '@anthropic-ai/sdk';
import { AnthropicError } from '@anthropic-ai/sdk';
import { isHarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { CallTerms, Model, ModelRequest, ModelResponse } from '../../ports/model.ts';
import { billOf, isWhole, readUsage } from './bill.ts';
import { createClient, type EndpointOptions } from './endpoint.ts';
import { judgeFailure } from './failure.ts';
import { toModelResponse } from './response.ts';
import { FailedTry, retrying, type RetryOptions } from './retry.ts';

export type BeforeRetry = (
  request: ModelRequest,
  retryAfterMs: number | undefined,
  signal: AbortSignal,
) => Promise<void>;

export type AnthropicModelOptions = EndpointOptions &
  Omit<RetryOptions, 'again'> & {
    /** Before a request is sent once more: resolves when it may be. */
    again?: BeforeRetry | undefined;
  };

export function createAnthropicModel(options: AnthropicModelOptions): Model {
  const client = createClient(options);
  return {
    call: (request, signal, terms = {}) => {
      let tries = 0;
      const attempt = async (): Promise<ModelResponse> => {
        tries += 1;
        if (tries > 1) await reserved(terms);
        return callOnce(client, { request, signal, terms }, options);
      };
      return retrying(attempt, retryOf(options, request), signal);
    },
    // Providers do not limit token counts, so no slot is needed.
    countTokens: (request, signal) =>
      retrying(
        () => countOnce(client, { request, signal }, options),
        retryOf({ ...options, again: undefined }, request),
        signal,
      ),
  };
}

function retryOf({ again, ...options }: AnthropicModelOptions, request: ModelRequest): RetryOptions {
  if (again === undefined) return options;
  return { ...options, again: (retryAfterMs, signal) => again(request, retryAfterMs, signal) };
}

/** Without money for it there is no further try. */
async function reserved({ onNextTry }: CallTerms): Promise<void> {
  await onNextTry?.().catch((error: unknown) => {
    if (isHarnessError(error)) throw new FailedTry({ error, again: false });
    throw error;
  });
}

/** The arguments of `Model.call`. */
type Args = { request: ModelRequest; signal: AbortSignal; terms?: CallTerms };
/** What a stream has said so far: who it is, and what it has used. */
type Heard = { requestId?: string; usage?: unknown; ended: boolean };

async function callOnce(client: Anthropic, args: Args, { baseUrl, apiKey }: EndpointOptions): Promise<ModelResponse> {
  args.signal.throwIfAborted();
  const heard: Heard = { ended: false };
  try {
    // Streamed, because a plain call is cut off by the vendor above 21 333 output tokens (docs/api-rules.md §3).
    const answer = args.request.betas === undefined ? plainAnswer : betaAnswer;
    const message = await answer(client, args, heard);
    if (message.stop_reason === null) throw new AnthropicError('stream ended without a stop reason');
    const response = toModelResponse(message, heard.requestId);
    return isWhole(heard.usage) ? response : { ...response, usageUnknown: true };
  } catch (error) {
    await args.terms?.onFailedTry?.(billOf(error, heard));
    if (isHarnessError(error)) throw new FailedTry({ error, again: false });
    const { requestId } = heard;
    throw new FailedTry(judgeFailure(error, omitUndefined({ baseUrl, apiKey, requestId }), Date.now()));
  }
}

async function plainAnswer(client: Anthropic, { request, signal, terms = {} }: Args, heard: Heard) {
  const stream = client.messages.stream(toParams(request, terms), { signal });
  if (terms.onText !== undefined) stream.on('text', terms.onText);
  stream.on('connect', () => noteId(heard, stream.request_id));
  stream.on('streamEvent', (event) => noteUsage(heard, event));
  return stream.finalMessage();
}

async function betaAnswer(client: Anthropic, { request, signal, terms = {} }: Args, heard: Heard) {
  const stream = client.beta.messages.stream(toBetaParams(request, terms), { signal });
  stream.on('connect', () => noteId(heard, stream.request_id));
  stream.on('streamEvent', (event) => noteUsage(heard, event));
  return stream.finalMessage();
}

function noteId(heard: Heard, id: string | null | undefined): void {
  if (id !== null && id !== undefined) heard.requestId = id;
}

type StreamEvent = { type: string; message?: { usage?: unknown }; usage?: unknown };

/** The counts of a delta are sums over the whole answer: they replace those of the start (docs/api-rules.md §4). */
function noteUsage(heard: Heard, event: StreamEvent): void {
  if (event.type === 'message_start') heard.usage = event.message?.usage;
  if (event.type !== 'message_delta') return;
  heard.usage = readUsage(heard.usage, event.usage);
  heard.ended = true;
}

async function countOnce(
  client: Anthropic,
  { request, signal }: Args,
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

/** The same request where it needs a beta: for the API's own compaction, and for thinking that it may drop. */
function toBetaParams(
  request: ModelRequest,
  terms: CallTerms,
): Anthropic.Beta.Messages.MessageCreateParamsNonStreaming {
  const { betas = [], compaction } = request;
  const params = toParams(request, terms) as unknown as Anthropic.Beta.Messages.MessageCreateParamsNonStreaming;
  return { ...params, ...omitUndefined({ betas, compaction }) };
}

/**
 * Field by field, so that nothing goes out that the port does not name: no sampling parameters, ever
 * (docs/api-rules.md §0).
 */
function toParams(
  request: ModelRequest,
  { maxTokens = request.max_tokens }: CallTerms = {},
): Anthropic.MessageStreamParams {
  return {
    model: request.model,
    max_tokens: maxTokens,
    // Our blocks have the wire's spelling; only an image's media type is wider than the vendor's list.
    messages: request.messages as Anthropic.MessageParam[],
    ...(request.system.length === 0 ? {} : { system: request.system }),
    ...(request.tools.length === 0 ? {} : { tools: request.tools }),
    ...omitUndefined({ thinking: request.thinking }),
  };
}
