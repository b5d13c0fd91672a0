/** The model port over the Messages API: streamed, tried again where that can help, and never a key in any text. */
import type Anthropic from '@anthropic-ai/sdk';
import { AnthropicError } from '@anthropic-ai/sdk';
import { isHarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Model, ModelRequest, ModelResponse } from '../../ports/model.ts';
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
    call: (request, signal, onText) =>
      retrying(() => callOnce(client, { request, signal, onText }, options), retryOf(options, request), signal),
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

/** The arguments of `Model.call`; `onText` receives the text in pieces. */
type Args = { request: ModelRequest; signal: AbortSignal; onText?: ((text: string) => void) | undefined };

async function callOnce(client: Anthropic, args: Args, { baseUrl, apiKey }: EndpointOptions): Promise<ModelResponse> {
  args.signal.throwIfAborted();
  let requestId: string | undefined;
  try {
    // Streamed, because a plain call is cut off by the vendor above 21 333 output tokens (docs/api-rules.md §3).
    const note = (id: string | null | undefined) => (requestId = id ?? undefined);
    const answer = args.request.betas === undefined ? plainAnswer : betaAnswer;
    const message = await answer(client, args, note);
    if (message.stop_reason === null) throw new AnthropicError('stream ended without a stop reason');
    return toModelResponse(message, requestId);
  } catch (error) {
    if (isHarnessError(error)) throw new FailedTry({ error, again: false });
    throw new FailedTry(judgeFailure(error, omitUndefined({ baseUrl, apiKey, requestId }), Date.now()));
  }
}

type NoteId = (id: string | null | undefined) => void;

async function plainAnswer(client: Anthropic, { request, signal, onText }: Args, note: NoteId) {
  const stream = client.messages.stream(toParams(request), { signal });
  if (onText !== undefined) stream.on('text', onText);
  stream.on('connect', () => note(stream.request_id));
  return stream.finalMessage();
}

async function betaAnswer(client: Anthropic, { request, signal }: Args, note: NoteId) {
  const stream = client.beta.messages.stream(toBetaParams(request), { signal });
  stream.on('connect', () => note(stream.request_id));
  return stream.finalMessage();
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
function toBetaParams(request: ModelRequest): Anthropic.Beta.Messages.MessageCreateParamsNonStreaming {
  const { betas = [], compaction } = request;
  const params = toParams(request) as unknown as Anthropic.Beta.Messages.MessageCreateParamsNonStreaming;
  return { ...params, ...omitUndefined({ betas, compaction }) };
}

/**
 * Field by field, so that nothing goes out that the port does not name: no sampling parameters, ever
 * (docs/api-rules.md §0).
 */
function toParams(request: ModelRequest): Anthropic.MessageStreamParams {
  return {
    model: request.model,
    max_tokens: request.max_tokens,
    // Our blocks have the wire's spelling; only an image's media type is wider than the vendor's list.
    messages: request.messages as Anthropic.MessageParam[],
    ...(request.system.length === 0 ? {} : { system: request.system }),
    ...(request.tools.length === 0 ? {} : { tools: request.tools }),
    ...omitUndefined({ thinking: request.thinking }),
  };
}
