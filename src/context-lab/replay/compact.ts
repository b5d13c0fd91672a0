/** One compaction of a replay, by the calling sequence of the core, and what a replay is given; a summariser replaces the model. */
import { HarnessError } from '../../errors.ts';
import { type Entry, type EntryDraft, placeEntry } from '../../transcript/entry.ts';
import { acceptBlock, acceptSummary, type Answer } from '../../context/summary/accept.ts';
import { afterRefusal, checkBreaker, refusal } from '../../context/plan/circuit-breaker.ts';
import { chunksOf, readPart, type Chunks } from '../../context/summary/chunks.ts';
import type { Acceptance } from '../../context/summary/prove-compaction.ts';
import type { ContextSnapshot } from '../../context/context-snapshot.ts';
import { type Core, fieldsOf } from '../../context/core.ts';
import type { Cut } from '../../context/plan/compaction-cut.ts';
import { fallback } from '../../context/summary/fallback.ts';
import { planCompaction } from '../../context/plan/plan.ts';
import { NO_USAGE, getText, type Message, addUsage, type Usage } from '../../transcript/message.ts';
import { summaryRequest } from '../../context/summary/summary-request.ts';
import { serverRequest } from '../../context/summary/server-request.ts';
import { estimateMessages } from '../../transcript/tokens.ts';
import type { IncrementalView } from '../../context/view/incremental-view.ts';
import type { PromptCache, CacheRules } from './cache.ts';
import type { Fact } from './facts.ts';
import type { FactRecall } from './fact-recall.ts';
import type { SummaryFailure, Summariser } from './summariser.ts';
import type { CompactionReceipt } from '../../transcript/compaction-receipt.ts';
import type { ProtocolRules } from '../../transcript/protocol.ts';

/** Returns undefined when there is nothing to compact. Throws `context_overflow` as the agent would. */
export function compactNow(entries: Entry[], asker: Omit<SummaryCaller, 'rewrite'>): Rewrite | undefined {
  const { core } = asker.options;
  const breaker = checkBreaker(entries, core.policy);
  if (breaker.state === 'stuck') throw breaker.error;
  // Measured without the state of the cache: a compaction that is not due now was made because the cache had expired.
  const { because = 'cold' } = asker.follower.pressure(entries);
  const cut = planCut(asker.follower.snapshot(entries), core, because === 'tokens' ? 'threshold' : because);
  if (cut === undefined) return undefined;
  const attempt: CompactionAttempt = { ...asker, rewrite: startRewrite(cut), entries, core };
  if (cut.by === 'code') fallBack(attempt, cut, 'none');
  else if (breaker.state === 'open') fallBack(attempt, cut, breaker.cause);
  else if (cut.by === 'server') summariseByServer(attempt, cut);
  else summariseByModel(attempt, cut);
  const after = asker.follower.pressure(entries);
  if (after.urgent)
    throw new HarnessError(
      'context_overflow',
      `The next request would have about ${after.total} tokens, and ${after.hard} fit together with its answer.`,
      { details: { total: after.total, hard: after.hard } },
    );
  return attempt.rewrite;
}

type CompactionAttempt = SummaryCaller & { entries: Entry[]; core: Core };

function readSnapshot({ follower, entries }: CompactionAttempt): ContextSnapshot {
  return follower.snapshot(entries);
}

function planCut(snapshot: ContextSnapshot, core: Core, reason: string): Cut | undefined {
  const plan = planCompaction(snapshot, core, { reason });
  if (plan.type === 'overflow') throw plan.error;
  return plan.type === 'cut' ? plan : undefined;
}

function startRewrite({ occasion, pressure }: Cut): Rewrite {
  return {
    reason: occasion.reason,
    tokensBefore: pressure.total,
    tokensAfter: pressure.total,
    stepsSummarised: 0,
    stepsKept: 0,
    cacheTokensLost: 0,
    usage: NO_USAGE,
    cost: 0,
    refused: [],
  };
}

/** Asks the API for its own summary; when that is refused, the model writes an ordinary one. */
function summariseByServer(attempt: CompactionAttempt, cut: Cut): void {
  const { core } = attempt;
  const request = serverRequest(readSnapshot(attempt), core, cut);
  const answer = request && askOnce(attempt, request.messages, 'server');
  if (answer !== undefined && !('cause' in answer)) {
    const made = acceptBlock(readSnapshot(attempt), core, cut, answer);
    if (made.ok) return applyAcceptance(attempt, made);
    recordRefusal(attempt, made.cause, made.detail);
  } else if (answer !== undefined) recordRefusal(attempt, answer.cause, answer.detail);
  const { policy } = core;
  const asking: Core = { ...core, policy: { ...policy, summary: { ...policy.summary, by: 'model' } } };
  const again = planCut(readSnapshot(attempt), asking, cut.occasion.reason);
  if (again !== undefined) summariseByModel({ ...attempt, core: asking }, again);
}

function summariseByModel(attempt: CompactionAttempt, cut: Cut): void {
  const { entries, core } = attempt;
  let fault: string | undefined;
  for (let repairs = 0; ; repairs += 1) {
    const made = requestSummary(attempt, cut, fault);
    if (made.ok) return applyAcceptance(attempt, made);
    if (made.cause === TOO_LARGE) return fallBack(attempt, cut, made.cause);
    recordRefusal(attempt, made.cause, made.detail);
    const next = afterRefusal(entries, core.policy, { cause: made.cause, urgent: cut.pressure.urgent, repairs });
    if (next === 'later') return;
    if (next === 'fallback') return fallBack(attempt, cut, made.cause);
    fault = made.detail;
  }
}

const TOO_LARGE = 'request_too_large';

function requestSummary(attempt: CompactionAttempt, cut: Cut, fault: string | undefined): Acceptance {
  const { core } = attempt;
  const request = summaryRequest(readSnapshot(attempt), core, cut, fault);
  const chunks = request === undefined ? chunksOf(readSnapshot(attempt), core, cut) : undefined;
  if (request === undefined && chunks === undefined)
    return { ok: false, cause: TOO_LARGE, detail: 'no request for a summary fits the window' };
  const answer =
    request === undefined ? chunks && askInParts(attempt, chunks, fault) : askOnce(attempt, request.messages, 'text');
  if (answer === undefined) return { ok: false, cause: 'schema', detail: 'the summary of a part cannot be read' };
  return 'cause' in answer ? { ok: false, ...answer } : acceptSummary(readSnapshot(attempt), core, cut, answer);
}

function recordRefusal({ entries, rewrite }: CompactionAttempt, cause: string, detail: string): void {
  rewrite.refused.push(cause);
  appendDraft(entries, refusal(cause, detail));
}

function fallBack(attempt: CompactionAttempt, cut: Cut, cause: string): void {
  applyAcceptance(attempt, fallback(readSnapshot(attempt), attempt.core, cut, cause));
}

/** Appends an accepted entry to the replay. Throws `context_overflow` when even the fallback was refused. */
function applyAcceptance({ entries, rewrite }: CompactionAttempt, made: Acceptance): void {
  if (!made.ok) throw new HarnessError('context_overflow', `No summary could be had, and without one: ${made.detail}`);
  rewrite.entry = appendDraft(entries, made.entry);
  const { reason, tokensBefore, tokensAfter, stepsSummarised, stepsKept, cacheTokensLost } = made.entry.receipt;
  Object.assign(rewrite, { reason, tokensBefore, tokensAfter, stepsSummarised, stepsKept, cacheTokensLost });
}

function appendDraft(entries: Entry[], draft: EntryDraft): string {
  const entry = placeEntry(entries, draft);
  entries.push(entry);
  return entry.id;
}

/** Summary calls of a replay: their requests, cache reads and cost. */
export type SummaryCaller = {
  options: ReplayOptions;
  follower: IncrementalView;
  cache: PromptCache;
  memory: FactRecall;
  nowMs: number;
  rewrite: Rewrite;
};

/** Every call is booked to the rewrite, whether its answer is taken or not. */
function askOnce(asker: SummaryCaller, messages: readonly Message[], form: 'text' | 'server'): Answer | SummaryFailure {
  const { options, cache, memory, nowMs, rewrite } = asker;
  const answer = options.summariser({ messages, form }, memory.known(), fieldsOf(options.core));
  if ('cause' in answer) return answer;
  const output = Math.round(Math.max(answer.usage.output_tokens, estimateMessages([answer])) * options.ratio);
  const usage = { ...cache.send(messages, nowMs, 'aside').usage, output_tokens: output };
  rewrite.usage = addUsage(rewrite.usage, usage);
  rewrite.cost += options.priceOf(usage);
  return { ...answer, usage };
}

/** Undefined when the answer for a part cannot be read; the answer of the last part is the summary. */
function askInParts(
  asker: SummaryCaller,
  chunks: Chunks,
  fault: string | undefined,
): Answer | SummaryFailure | undefined {
  let before: string | undefined;
  for (let part = 0; part < chunks.parts; part += 1) {
    const answer = askOnce(asker, chunks.request(part, before, fault).messages, 'text');
    if ('cause' in answer || part === chunks.parts - 1) return answer;
    before = readPart(getText(answer), asker.options.core);
    if (before === undefined) return undefined;
  }
  return undefined;
}

/** The setup of a replay: the core under test, the wire rules, prices, and who writes the summaries. */
export type ReplayOptions = {
  core: Core;
  rules: Omit<ProtocolRules, 'rewrittenThrough'>;
  summariser: Summariser;
  facts: readonly Fact[];
  /** Real tokens per estimated one; see `fitRecorded`. */
  ratio: number;
  /** Returns the price of one call, in US dollars or any other unit. */
  priceOf: (usage: Usage) => number;
  cache?: CacheRules;
};

export type Rewrite = Pick<
  CompactionReceipt,
  'reason' | 'tokensBefore' | 'tokensAfter' | 'stepsSummarised' | 'stepsKept' | 'cacheTokensLost'
> & {
  /** The compaction's entry in the replayed transcript; absent when every summary was refused and the old view stays. */
  entry?: string;
  /** Usage of all summary calls, including refused ones. */
  usage: Usage;
  cost: number;
  refused: string[];
};
