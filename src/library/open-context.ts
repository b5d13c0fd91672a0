/** A context for any agent: takes pushed messages, and returns requests that fit, are cached and are valid. */
import { createRequestFitter, type FittedAgent } from '../agent/compaction/request-fitter.ts';
import { findHome } from '../config/home.ts';
import { layerEntry, listPinnedRules } from '../context/index.ts';
import { loadThinkingReminder } from '../config/load-core.ts';
import { usageError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { MessageEntry, Entry, EntryDraft } from '../transcript/entry.ts';
import { createUserMessage, Role, type Message } from '../transcript/message.ts';
import { formatTranscript } from '../transcript/transcript-lines.ts';
import { createContextLog, isCacheCold, hasHeaderChanged, loadEntries } from './context-log.ts';
import { answerMalformedCalls, toReceipts, refuseOpenCalls } from './context-log.ts';
import { createCallRenamer } from './call-renamer.ts';
import { createClientCaller } from './client-calls.ts';
import { loadFittedAgent, getModelFacts } from './context-setup.ts';
import type { ClientCall, Context, ContextOptions, RequestOptions } from './context-types.ts';
import type { ReadMessages, Shape } from './shapes/shape.ts';

/** Throws `context_overflow` when the window is too small for the policy, and `config_invalid` for an unknown name. */
export async function openContext<Given, Answer, Request>(
  options: ContextOptions<Given, Answer, Request>,
): Promise<Context<Given, Answer, Request>> {
  const { shape, onEntry, onProgress = () => undefined, now = () => new Date() } = options;
  const home = findHome(options.folder ?? process.cwd());
  const agent = await loadFittedAgent(home, options);
  const headerNote = createHeaderNote(await loadThinkingReminder(home));
  const caller = createClientCaller(shape, onProgress);
  let log = createContextLog([], onEntry);
  let rename = createCallRenamer([]);
  let sent: SentRequest | undefined;
  /** How many entries there were before each push. */
  let pushes: number[] = [];
  const fitter = createRequestFitter({
    ...{ agent, facts: await getModelFacts(home, options.model), tools: shape.tools, progress: onProgress },
    model: caller.model,
    moment: () => ({ cacheCold: isCacheCold({ entries: log.entries, sentAt: sent?.at }, now(), agent.policy) }),
  });
  const at = () => ({ at: now().toISOString() });

  function restart(entries: readonly Entry[], kept: number[]): void {
    [log, rename, sent, pushes] = [createContextLog(entries, onEntry), createCallRenamer(entries), undefined, kept];
  }

  async function fit(force: boolean, signal: AbortSignal): Promise<Request> {
    if (hasHeaderChanged(log.entries, fitter.context?.header)) log.push({ ...headerNote, ...at() });
    const { request, epoch, contextTokens } = await fitter.fit(log.session, force, signal);
    sent = { epoch, estimated: contextTokens, length: log.entries.length, at: now().getTime() };
    return caller.write(request, false);
  }

  async function request(call: ClientCall<Answer, Request>, options: RequestOptions = {}): Promise<Request> {
    const { force = false, signal = new AbortController().signal } = options;
    if (answerMalformedCalls(log)) rename = createCallRenamer(log.entries);
    refuseOpenCalls(log.entries);
    return caller.during(call, () => fit(force, signal));
  }

  return {
    push: (given: Given | Answer | string, from: 'human' | 'harness' | 'reminder' | 'rule' = 'human') => {
      const state = { shape, agent, entries: log.entries, sent, rename, context: fitter.context };
      const drafts = toPushedDrafts(given, from, state);
      pushes.push(log.entries.length);
      for (const draft of drafts) log.push({ ...draft, ...at() });
    },
    takeBack: () => {
      const before = pushes.pop();
      if (before === undefined) throw usageError('Nothing was pushed since the context was opened or loaded.');
      restart(log.entries.slice(0, before), pushes);
    },
    request,
    send: async (call, options = {}) => caller.send(call, await request(call, options), options.signal),
    get receipts() {
      return log.entries.flatMap(toReceipts);
    },
    get entries() {
      return log.entries;
    },
    recall: (id) => formatTranscript(log.entries.filter((one) => one.id === id)).join('\n') || undefined,
    // The lines that `tandem context show` and `replay` also read.
    save: () => log.entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
    load: (saved) => restart(loadEntries(saved), []),
  };
}

function createHeaderNote(text: string): EntryDraft {
  return { type: 'message', origin: 'reminder', message: createUserMessage(text), dropsThinking: true };
}

type PushState<Given, Answer, Request> = {
  shape: Shape<Given, Answer, Request>;
  agent: FittedAgent;
  entries: readonly Entry[];
  sent: SentRequest | undefined;
  rename: (message: Message) => Message;
  context: MessageEntry['context'];
};

function toPushedDrafts<Given, Answer, Request>(
  given: Given | Answer | string,
  from: 'human' | 'harness' | 'reminder' | 'rule',
  { shape, agent, entries, sent, rename, context }: PushState<Given, Answer, Request>,
): EntryDraft[] {
  if (from === 'rule') return [createRuleEntry(entries, agent, given) ?? []].flat();
  if (typeof given !== 'object' || given === null)
    throw usageError(
      "Push a message, such as { role: 'user', content: '…' }, or an answer; a rule is push('…', 'rule').",
    );
  const answered = sent?.length === entries.length ? sent : undefined;
  const read = shape.read(given);
  const strange = read.messages.find(({ role }) => !Role.safeParse(role).success);
  if (strange !== undefined)
    throw usageError(`No message of ${shape.name} has the role ${JSON.stringify(strange.role)}.`);
  return toPushedMessages(read, from, answered).map(({ message, origin, response, pauses }): EntryDraft => {
    const opened = origin === 'human' || origin === 'harness' ? context : undefined;
    const holds = origin === 'reminder' && message.role === 'user' ? ('turn' as const) : undefined;
    const more = omitUndefined({ context: opened, response, holds, pauses });
    return { type: 'message', origin, message: rename(message), ...more };
  });
}

/** Pins one rule more. The change closes a tool loop, which it can do only when all results are in. */
function createRuleEntry(entries: readonly Entry[], agent: FittedAgent, rule: unknown) {
  if (typeof rule !== 'string') throw usageError("A rule is a text: push('…', 'rule').");
  refuseOpenCalls(entries);
  return layerEntry(entries, agent, {
    pinned: { source: 'the application', rules: [...listPinnedRules(entries), rule] },
  });
}

/** The newest request; its answer measures this view, unless a message was pushed in between. */
type SentRequest = { epoch: string; estimated: number; length: number; at: number };

type PushedMessage = Pick<MessageEntry, 'message' | 'origin' | 'response' | 'pauses'>;

/** The first of several model messages is the answer to the request, and the billed usage belongs to it. */
function toPushedMessages(
  { messages, response }: ReadMessages,
  from: MessageEntry['origin'],
  sent: SentRequest | undefined,
): PushedMessage[] {
  const first = messages.findIndex(({ role }) => role === 'assistant');
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.flatMap((message, place): PushedMessage[] => {
    const pauses = place === last && response?.stopReason === 'pause_turn' ? { pauses: true as const } : {};
    if (place !== first || response?.usage === undefined || sent === undefined)
      return splitWords(message).map((one) => ({ message: one, origin: getOrigin(one, from), ...pauses }));
    const { model, stopReason, usage } = response;
    const { epoch: view, estimated } = sent;
    const origin = getOrigin(message, from);
    return [{ message, origin, ...pauses, response: { model, stopReason, usage, view, estimated } }];
  });
}

/** What a person says beside results of tools is a message of its own, which is carried like any other of a person. */
function splitWords(message: Message): Message[] {
  const { role, content } = message;
  const words = content.filter(({ type }) => type !== 'tool_result');
  if (role !== 'user' || words.length === 0 || words.length === content.length) return [message];
  return [
    { role, content: content.filter(({ type }) => type === 'tool_result') },
    { role, content: words },
  ];
}

function getOrigin({ role, content }: Message, from: MessageEntry['origin']): MessageEntry['origin'] {
  if (role === 'assistant') return 'model';
  if (role === 'system') return 'reminder';
  return content.some(({ type }) => type === 'tool_result') ? 'tools' : from;
}
