/** Makes calls by the caller's own client, and says what its errors mean. */
import { unlessAborted } from '../ports/unless-aborted.ts';
import { HarnessError, isHarnessError, describeError, usageError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { getErrorMeaning } from '../ports/answer-meaning.ts';
import type { Model, ModelRequest, ModelResponse } from '../ports/model.ts';
import type { Progress } from '../ports/progress.ts';
import { NO_USAGE } from '../transcript/message.ts';
import { describeRefusedFields, findRefusedFields, omitFields } from '../transcript/vendor-fields.ts';
import type { ClientCall } from './context-types.ts';
import type { Shape } from './shapes/shape.ts';

type ClientCaller<Answer, Request> = {
  model: Model;
  /** Makes the calls for summaries by `call` while `work` builds a request. */
  during(call: ClientCall<Answer, Request>, work: () => Promise<Request>): Promise<Request>;
  write(request: ModelRequest, summary: boolean): Request;
  send(call: ClientCall<Answer, Request>, request: Request, signal?: AbortSignal): Promise<Answer>;
};

/**
 * Uses the caller's client for the requests that `send` makes, and as the model for summaries while a request is built. A
 * field of a vendor that the endpoint refuses is left out of every later request.
 */
export function createClientCaller<Given, Answer, Request>(
  shape: Shape<Given, Answer, Request>,
  progress: Progress,
): ClientCaller<Answer, Request> {
  const refused = new Set<string>();
  let current: ClientCall<Answer, Request> | undefined;

  function write(request: ModelRequest, summary: boolean): Request {
    return withoutFields(shape.write(request, summary), refused);
  }

  async function send(
    call: ClientCall<Answer, Request>,
    request: Request,
    signal = new AbortController().signal,
  ): Promise<Answer> {
    try {
      return await call(request, signal);
    } catch (error) {
      const names = listRefusedFields(error, request);
      if (names.length === 0 || signal.aborted) throw error;
      for (const name of names) refused.add(name);
      progress({ type: 'state', status: 'notice', detail: `${shape.name}: ${describeRefusedFields(names)}.` });
      return send(call, withoutFields(request, refused), signal);
    }
  }

  const model: Model = {
    call: (request, signal) => {
      if (current === undefined) throw usageError('No request is being made.');
      return awaitAnswer(send(current, write(request, true), signal), shape, signal);
    },
  };
  async function during(call: ClientCall<Answer, Request>, work: () => Promise<Request>): Promise<Request> {
    if (current !== undefined) throw usageError('A request is being made already: await it first.');
    current = call;
    return work().finally(() => (current = undefined));
  }
  return { model, during, write, send };
}

/** Every shape of ours has its messages in one list; another one stays as it is. */
function withoutFields<Request>(request: Request, names: ReadonlySet<string>): Request {
  const messages = readField(request, 'messages');
  if (!Array.isArray(messages)) return request;
  return { ...request, messages: messages.map((one: unknown) => omitFields(one, names)) };
}

/** Clients put the words of the endpoint into the message, into a parsed body or into its text. */
function listRefusedFields(error: unknown, request: unknown): string[] {
  const messages = readField(request, 'messages');
  const status = readStatus(error);
  if ((status !== 400 && status !== 422) || !Array.isArray(messages)) return [];
  const body = ['error', 'responseBody'].map((name) => JSON.stringify(readField(error, name)) ?? '');
  return findRefusedFields(messages, [describeError(error), ...body].join(' '));
}

/** Converts the answer of the caller's client for the compactor; an abort ends the wait even if the client goes on. */
async function awaitAnswer<Given, Answer, Request>(
  answering: Promise<Answer>,
  shape: Shape<Given, Answer, Request>,
  signal: AbortSignal,
): Promise<ModelResponse> {
  try {
    const { messages, response } = shape.read(await unlessAborted(answering, signal));
    const [message] = messages;
    if (message === undefined || response === undefined)
      throw new HarnessError('model_refused', `What the call gave back is no answer of ${shape.name}.`);
    const { model, stopReason, usage = NO_USAGE } = response;
    return { id: '', model, content: message.content, stopReason, usage };
  } catch (error) {
    signal.throwIfAborted();
    throw toCallError(error);
  }
}

/** Converts an error of the caller's client into ours, with `retryable` when another try for the summary may help. */
function toCallError(thrown: unknown): HarnessError {
  if (isHarnessError(thrown)) return thrown;
  const status = readStatus(thrown);
  const code = readField(thrown, 'code');
  const message = describeError(thrown);
  const { means } = getErrorMeaning({ status, code: typeof code === 'string' ? code : undefined, message });
  const again = means === 'again' || means === 'wait';
  return new HarnessError(again ? 'model_unavailable' : 'model_refused', `The call for a summary failed: ${message}`, {
    retryable: again,
    details: { means, ...omitUndefined({ status }) },
    cause: thrown,
  });
}

/** Clients use one of two names for the status of an answer; without a status no answer came. */
function readStatus(thrown: unknown): number | undefined {
  return ['status', 'statusCode'].map((name) => readField(thrown, name)).find((value) => typeof value === 'number');
}

function readField(from: unknown, name: string): unknown {
  return typeof from === 'object' && from !== null ? Reflect.get(from, name) : undefined;
}
