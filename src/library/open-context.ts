/** A context for an agent of anybody's: messages are pushed, requests come out that fit, are cached, and are valid. */
import { createRequestFitter } from '../agent/compaction/compactor.ts';
import { findHome } from '../config/home.ts';
import { loadThinkingReminder } from '../config/load-core.ts';
import { HarnessError, isHarnessError, messageOf, usageError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { Model, ModelResponse } from '../ports/model.ts';
import type { MessageEntry, Entry } from '../transcript/entry.ts';
import { NO_USAGE, userText, type Message, toolUses, type Block } from '../transcript/message.ts';
import { renderLines } from '../transcript/transcript-lines.ts';
import { meaningOfError } from '../ports/answer-meaning.ts';
import { createContextLog, isCold, isOfAnotherHeader, loadEntries } from './context-log.ts';
import { receiptOf, refuseOpenCalls, saveEntries } from './context-log.ts';
import { agentOf, factsOf } from './context-setup.ts';
import type { Context, ContextOptions } from './context-types.ts';
import type { ReadMessages, Shape } from './shapes/shape.ts';

/** Contract: `context_overflow` when the window is too small for the policy; `config_invalid` for an unknown name. */
export async function openContext<Given, Answer, Request>(
  options: ContextOptions<Given, Answer, Request>,
): Promise<Context<Given, Answer, Request>> {
  const { shape, onEntry, onProgress = () => undefined, now = () => new Date() } = options;
  const home = findHome(options.folder ?? process.cwd());
  const agent = await agentOf(home, options);
  const reminder = await loadThinkingReminder(home);
  const caller = createCaller(shape);
  let log = createContextLog([], onEntry);
  let rename = createCallIds([]);
  let sent: Sent | undefined;
  const fitter = createRequestFitter({
    ...{ agent, facts: await factsOf(home, options.model), tools: shape.tools, progress: onProgress },
    model: caller.model,
    moment: () => ({ cacheCold: isCold({ entries: log.entries, sentAt: sent?.at }, now(), agent.policy) }),
  });
  const at = () => ({ at: now().toISOString() });

  async function fit(force: boolean, signal: AbortSignal): Promise<Request> {
    const { header } = fitter.context ?? {};
    if (isOfAnotherHeader(log.entries, header))
      log.push({ type: 'message', origin: 'reminder', message: userText(reminder), dropsThinking: true, ...at() });
    const { request, epoch, contextTokens } = await fitter.fit(log.session, force, signal);
    sent = { epoch, estimated: contextTokens, length: log.entries.length, at: now().getTime() };
    return shape.write(request, false);
  }

  return {
    push: (given, from = 'human') => {
      for (const { message, origin, response } of messagesOf(shape.read(given), from, isAnswerTo(sent, log.entries))) {
        const context = opensTurn(origin) ? fitter.context : undefined;
        const more = omitUndefined({ context, response });
        log.push({ type: 'message', origin, message: rename(message), ...at(), ...more });
      }
    },
    request: async (call, { force = false, signal = new AbortController().signal } = {}) => {
      refuseOpenCalls(log.entries);
      return caller.during(call, () => fit(force, signal));
    },
    get receipts() {
      return log.entries.flatMap(receiptOf);
    },
    get entries() {
      return log.entries;
    },
    recall: (id) => {
      const entry = log.entries.find((one) => one.id === id);
      return entry && renderLines([entry]).join('\n');
    },
    save: () => saveEntries(log.entries),
    load: (saved) => {
      const entries = loadEntries(saved);
      [log, rename, sent] = [createContextLog(entries, onEntry), createCallIds(entries), undefined];
    },
  };
}

type Call<Answer, Request> = (request: Request, signal: AbortSignal) => Promise<Answer>;

/** The caller's client as the model of summaries, while a request is made. */
function createCaller<Given, Answer, Request>(shape: Shape<Given, Answer, Request>) {
  let current: Call<Answer, Request> | undefined;
  const model: Model = {
    call: (request, signal) => {
      if (current === undefined) throw usageError('No request is being made.');
      return answered(current(shape.write(request, true), signal), shape, signal);
    },
  };
  async function during(call: Call<Answer, Request>, work: () => Promise<Request>): Promise<Request> {
    if (current !== undefined) throw usageError('A request is being made already: await it first.');
    current = call;
    return work().finally(() => (current = undefined));
  }
  return { model, during };
}

/** The newest request: its answer was measured on its view, unless something was pushed in between. */
type Sent = { epoch: string; estimated: number; length: number; at: number };

function isAnswerTo(sent: Sent | undefined, { length }: { length: number }): Sent | undefined {
  return sent?.length === length ? sent : undefined;
}

function opensTurn(origin: MessageEntry['origin']): boolean {
  return origin === 'human' || origin === 'harness';
}

type Pushed = Pick<MessageEntry, 'message' | 'origin' | 'response'>;

/** Of several messages the first of the model answers the request; what it was billed counts. */
function messagesOf(
  { messages, response }: ReadMessages,
  from: MessageEntry['origin'],
  sent: Sent | undefined,
): Pushed[] {
  const first = messages.findIndex(({ role }) => role === 'assistant');
  return messages.map((message, place) => {
    const origin = originOf(message, from);
    if (place !== first || response?.usage === undefined || sent === undefined) return { message, origin };
    const { model, stopReason, usage } = response;
    const { epoch: view, estimated } = sent;
    return { message, origin, response: { model, stopReason, usage, view, estimated } };
  });
}

function originOf({ role, content }: Message, from: MessageEntry['origin']): MessageEntry['origin'] {
  if (role === 'assistant') return 'model';
  if (role === 'system') return 'reminder';
  return content.some(({ type }) => type === 'tool_result') ? 'tools' : from;
}

/** The answer of the caller's client as the compactor takes it; an abort ends the wait even where the client goes on. */
async function answered<Given, Answer, Request>(
  answering: Promise<Answer>,
  shape: Shape<Given, Answer, Request>,
  signal: AbortSignal,
): Promise<ModelResponse> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const { messages, response } = shape.read(await Promise.race([answering, aborted.promise]));
    const [message] = messages;
    if (message === undefined || response === undefined)
      throw new HarnessError('model_refused', `What the call gave back is no answer of ${shape.name}.`);
    const { model, stopReason, usage = NO_USAGE } = response;
    return { id: '', model, content: message.content, stopReason, usage };
  } catch (error) {
    signal.throwIfAborted();
    throw asCallFailure(error);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Clients name the status of an answer so; without one no answer came. */
const STATUS = ['status', 'statusCode'] as const;

/** What a call of the user's own client threw, as an error of ours: whether another try may help decides on a summary. */
function asCallFailure(thrown: unknown): HarnessError {
  if (isHarnessError(thrown)) return thrown;
  const status = STATUS.map((name) => fieldOf(thrown, name)).find((value) => typeof value === 'number');
  const code = fieldOf(thrown, 'code');
  const message = messageOf(thrown);
  const { means } = meaningOfError({ status, code: typeof code === 'string' ? code : undefined, message });
  const again = means === 'again' || means === 'wait';
  return new HarnessError(again ? 'model_unavailable' : 'model_refused', `The call for a summary failed: ${message}`, {
    retryable: again,
    details: { means, ...omitUndefined({ status }) },
    cause: thrown,
  });
}

function fieldOf(thrown: unknown, name: string): unknown {
  return typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, name) : undefined;
}

const SENDABLE = /^[a-zA-Z0-9_-]+$/;

/**
 * Some providers count `call_0` anew in every answer. An id that was there before gets a number; the results that follow go
 * with the newest call of their id.
 */
function createCallIds(entries: readonly Entry[]): (message: Message) => Message {
  const taken = new Set(
    entries.flatMap((entry) => (entry.type === 'message' ? toolUses(entry.message).map(({ id }) => id) : [])),
  );
  const renamed = new Map<string, string>();

  function rename(block: Block): Block {
    if (block.type === 'tool_result')
      return { ...block, tool_use_id: renamed.get(block.tool_use_id) ?? block.tool_use_id };
    if (block.type !== 'tool_use') return block;
    const id = freeId(block.id, taken);
    taken.add(id);
    if (id === block.id) renamed.delete(id);
    else renamed.set(block.id, id);
    return id === block.id ? block : { ...block, id };
  }

  return ({ role, content }) => ({ role, content: content.map(rename) });
}

function freeId(wanted: string, taken: ReadonlySet<string>): string {
  const id = SENDABLE.test(wanted) ? wanted : wanted.replaceAll(/[^a-zA-Z0-9_-]/g, '_') || 'call';
  if (!taken.has(id)) return id;
  let number = 2;
  while (taken.has(`${id}_${number}`)) number += 1;
  return `${id}_${number}`;
}
