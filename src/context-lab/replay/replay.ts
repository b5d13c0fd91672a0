/** Replays a recorded conversation under a policy, call by call: requests, faults, cost, and lost facts. */
import { isHarnessError } from '../../errors.ts';
import { estimateMessages } from '../../transcript/tokens.ts';
import { findFault } from '../../transcript/protocol.ts';
import type { Entry, MessageEntry } from '../../transcript/entry.ts';
import { addUsage, inputTokens, NO_USAGE } from '../../transcript/message.ts';
import type { Message, ProtocolFault, Usage } from '../../transcript/message.ts';
import { createIncrementalView } from '../../context/view/incremental-view.ts';
import { checkWindow } from '../../context/limits.ts';
import { CACHE_RULES, createPromptCache, type SentRequest } from './cache.ts';
import { compactNow, type ReplayOptions, type Rewrite, type SummaryCaller } from './compact.ts';
import { createFactRecall, type FactRetention } from './fact-recall.ts';

export type ReplayCall = {
  /** The recorded answer to this call. */
  entry: string;
  /** Compactions before it: the epoch. */
  epoch: number;
  tokens: number;
  usage: Usage;
  cost: number;
  /** The request is not an extension of the one before: its prefix was rewritten. */
  rewritten: boolean;
  /** Thinking blocks behind another prefix than the one they were made on (docs/internals/compaction-cases.md T5). */
  staleThinking: number;
  fault?: ProtocolFault;
};

export type Replay = {
  policy: string;
  calls: ReplayCall[];
  rewrites: Rewrite[];
  facts: FactRetention;
  /** All calls and all summary calls. */
  cost: number;
  usage: Usage;
  /** Set when the harness would have stopped here; nothing after it was replayed. */
  stopped?: { code: string; message: string; before: string };
  /** The transcript as this policy would have made it. */
  entries: Entry[];
};

type ReplayRun = Omit<SummaryCaller, 'rewrite'> & {
  replay: Replay;
  /** Thinking block -> the last prefix of the request that it answers. */
  made: Map<string, object | undefined>;
};

/** An unrecorded pause counts as one second, so the cache stays warm. */
const UNKNOWN_PAUSE_MS = 1000;

/** Contract: never throws because of a conversation's content; a policy that cannot continue is `stopped`. */
export function replay(recorded: readonly MessageEntry[], options: ReplayOptions): Replay {
  const { core, ratio, cache = CACHE_RULES } = options;
  const memory = createFactRecall(options.facts);
  const about = { policy: core.policy.name, facts: memory.end([]), cost: 0, usage: NO_USAGE };
  const run: ReplayRun = {
    options,
    follower: createIncrementalView(core),
    cache: createPromptCache(cache, core.budget.floor, ratio),
    memory,
    replay: { ...about, calls: [], rewrites: [], entries: [] },
    nowMs: 0,
    made: new Map(),
  };
  try {
    checkWindow(core.policy, core.budget);
    for (const [place, entry] of recorded.entries()) replayEntry(run, entry, place);
  } catch (error) {
    if (!isHarnessError(error, 'context_overflow')) throw error;
    const before = recorded[run.memory.heard]?.id ?? 'the end';
    run.replay.stopped = { code: error.code, message: error.message, before };
  }
  run.replay.facts = run.memory.end(run.follower.view(run.replay.entries).messages);
  return run.replay;
}

/** A recorded answer represents a call, which is made on this policy's view before the answer is appended. */
function replayEntry(run: ReplayRun, recorded: MessageEntry, place: number): void {
  const { entries } = run.replay;
  const at = recorded.at === undefined ? run.nowMs + UNKNOWN_PAUSE_MS : Date.parse(recorded.at);
  run.nowMs = Math.max(run.nowMs, at);
  const { response: _recorded, ...entry } = recorded;
  const call = recorded.origin === 'model' && entries.length > 0 ? makeCall(run, recorded) : undefined;
  const said = call === undefined ? entry : { ...entry, response: toResponse(recorded, call.usage, call.epochId) };
  const id = `e${entries.length + 1}`;
  entries.push({ ...said, id, parents: entries.slice(-1).map((last) => last.id) });
  run.memory.hear(place, id);
}

function toResponse({ response }: MessageEntry, usage: Usage, view: string): NonNullable<MessageEntry['response']> {
  const { model = 'recorded', stopReason = 'tool_use' } = response ?? {};
  return { model, stopReason, usage, view };
}

function makeCall(run: ReplayRun, recorded: MessageEntry): { usage: Usage; epochId: string } | undefined {
  const { replay, options, follower } = run;
  const { due } = follower.pressure(replay.entries, { cacheCold: run.cache.isCold(run.nowMs) });
  const rewrite = due ? compactNow(replay.entries, run) : undefined;
  if (rewrite !== undefined) {
    replay.rewrites.push(rewrite);
    addSpending(replay, rewrite.usage, rewrite.cost);
  }
  const { messages, rewrittenThrough, epoch } = follower.view(replay.entries);
  if (messages.length === 0) return undefined;
  const sent = run.cache.send(messages, run.nowMs);
  if (!sent.extends) run.memory.check(messages);
  if (isServerRewrite(rewrite, replay.entries)) rebindThinking(messages, sent, run.made);
  const usage = { ...sent.usage, output_tokens: estimateOutput(recorded, options.ratio) };
  const fault = findFault(messages, { ...options.rules, rewrittenThrough });
  const cost = options.priceOf(usage);
  replay.calls.push({
    entry: recorded.id,
    epoch: replay.rewrites.length,
    tokens: inputTokens(usage),
    usage,
    cost,
    rewritten: !sent.extends,
    staleThinking: sent.extends ? 0 : countStaleThinking(messages, sent, run.made),
    ...(fault === undefined ? {} : { fault }),
  });
  addSpending(replay, usage, cost);
  for (const thought of listThoughts(recorded.message)) run.made.set(thought, sent.path.at(-1));
  return { usage, epochId: epoch };
}

/** Takes the larger of record and estimate, because recordings of streams count only the tokens of the first chunk. */
export function estimateOutput({ message, response }: MessageEntry, ratio: number): number {
  return Math.max(response?.usage.output_tokens ?? 0, Math.round(estimateMessages([message]) * ratio));
}

function countStaleThinking(messages: readonly Message[], { path }: SentRequest, made: ReplayRun['made']): number {
  return messages.reduce((sum, message, place) => {
    const stale = listThoughts(message).filter((thought) => made.has(thought) && made.get(thought) !== path[place - 1]);
    return sum + stale.length;
  }, 0);
}

/** Behind its own summary the API accepts the retained thinking unchanged (docs/internals/api-rules.md §5.4). */
function isServerRewrite(rewrite: Rewrite | undefined, entries: readonly Entry[]): boolean {
  return entries.some(
    (entry) => entry.type === 'compaction' && entry.id === rewrite?.entry && entry.place === 'server',
  );
}

function rebindThinking(messages: readonly Message[], { path }: SentRequest, made: ReplayRun['made']): void {
  for (const [place, message] of messages.entries())
    for (const thought of listThoughts(message)) made.set(thought, path[place - 1]);
}

function listThoughts({ content }: Message): string[] {
  return content.flatMap((block) => {
    if (block.type === 'thinking') return [`${block.signature}\n${block.thinking}`];
    return block.type === 'redacted_thinking' ? [block.data] : [];
  });
}

function addSpending(replay: Replay, usage: Usage, cost: number): void {
  replay.cost += cost;
  replay.usage = addUsage(replay.usage, usage);
}
