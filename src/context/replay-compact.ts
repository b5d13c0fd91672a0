/** One compaction of a replay, by the calling sequence of the core; the summariser stands for the model. */
import { HarnessError } from '../errors.ts';
import { estimateMessages } from '../transcript/tokens.ts';
import type { Entry } from '../transcript/entry.ts';
import type { Usage } from '../transcript/message.ts';
import { acceptSummary } from './accept.ts';
import { afterRefusal, checkBreaker, refusal } from './breaker.ts';
import type { Acceptance } from './commit.ts';
import { fallback } from './fallback.ts';
import { planCompaction } from './plan.ts';
import type { Cut } from './cut.ts';
import { fieldsOf } from './core.ts';
import type { Follower } from './follow.ts';
import type { PromptCache } from './replay-cache.ts';
import type { Memory } from './replay-memory.ts';
import { NO_USAGE, addUsage } from './replay-options.ts';
import type { ReplayOptions } from './replay-options.ts';
import { summaryRequest } from './request.ts';

export type Rewrite = {
  /** The compaction's entry in the replayed transcript; absent when every summary was refused and the old view stays. */
  entry?: string;
  reason: string;
  tokensBefore: number;
  tokensAfter: number;
  stepsSummarised: number;
  stepsKept: number;
  cacheTokensLost: number;
  /** Of all summary calls, refused ones too. */
  usage: Usage;
  cost: number;
  refused: string[];
};

type Bench = { follower: Follower; cache: PromptCache; memory: Memory; nowMs: number };
type Attempt = { rewrite: Rewrite; cut: Cut; entries: Entry[]; options: ReplayOptions; bench: Bench };

/** Undefined when there is nothing to compact. Throws `context_overflow` as the agent would. */
export function compactNow(entries: Entry[], options: ReplayOptions, bench: Bench): Rewrite | undefined {
  const { core } = options;
  const breaker = checkBreaker(entries, core.policy);
  if (breaker.state === 'stuck') throw breaker.error;
  const plan = planCompaction(entries, core, { reason: 'threshold' });
  if (plan.type === 'overflow') throw plan.error;
  if (plan.type !== 'cut') return undefined;
  const attempt: Attempt = { rewrite: begun(plan), cut: plan, entries, options, bench };
  if (plan.by === 'code') take(attempt, fallback(entries, core, plan, 'none'), true);
  else if (breaker.state === 'open') take(attempt, fallback(entries, core, plan, breaker.cause), true);
  else summarise(attempt);
  const after = bench.follower.pressure(entries);
  if (after.urgent) throw tooLarge(after.total, after.hard);
  return attempt.rewrite;
}

function begun({ occasion, pressure }: Cut): Rewrite {
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

function summarise(attempt: Attempt): void {
  const { entries, cut, options } = attempt;
  const { core } = options;
  let fault: string | undefined;
  for (let repairs = 0; ; repairs += 1) {
    const request = summaryRequest(entries, core, cut, fault);
    if (request === undefined) return take(attempt, fallback(entries, core, cut, 'request_too_large'), true);
    const made = ask(attempt, request);
    if (made.ok) return take(attempt, made, false);
    refuse(attempt, made.cause, made.detail);
    const next = afterRefusal(entries, core.policy, { cause: made.cause, urgent: cut.pressure.urgent, repairs });
    if (next === 'later') return;
    if (next === 'fallback') return take(attempt, fallback(entries, core, cut, made.cause), true);
    fault = made.detail;
  }
}

/** The call reads the cache like any other; what its output costs is the summariser's own count. */
function ask(attempt: Attempt, request: NonNullable<ReturnType<typeof summaryRequest>>): Acceptance {
  const { entries, cut, rewrite, options, bench } = attempt;
  const answer = options.summariser(request, bench.memory.known(), fieldsOf(options.core));
  if ('cause' in answer) return { ok: false, ...answer };
  const sent = bench.cache.send(request.messages, bench.nowMs, 'aside');
  const output = Math.round(Math.max(answer.usage.output_tokens, estimateMessages([answer])) * options.ratio);
  const usage: Usage = { ...sent.usage, output_tokens: output };
  rewrite.usage = addUsage(rewrite.usage, usage);
  rewrite.cost += options.priceOf(usage);
  return acceptSummary(entries, options.core, cut, { ...answer, usage });
}

function refuse({ entries, rewrite }: Attempt, cause: string, detail: string): void {
  rewrite.refused.push(cause);
  place(entries, refusal(cause, detail));
}

/** A fallback that is refused leaves no way on. */
function take({ entries, rewrite }: Attempt, made: Acceptance, last: boolean): void {
  if (!made.ok) {
    if (!last) return;
    throw new HarnessError('context_overflow', `No summary could be had, and without one: ${made.detail}`);
  }
  rewrite.entry = place(entries, made.entry);
  const { reason, tokensBefore, tokensAfter, stepsSummarised, stepsKept, cacheTokensLost } = made.entry.receipt;
  Object.assign(rewrite, { reason, tokensBefore, tokensAfter, stepsSummarised, stepsKept, cacheTokensLost });
}

type Draft = ReturnType<typeof refusal> | Extract<Acceptance, { ok: true }>['entry'];

function place(entries: Entry[], draft: Draft): string {
  const last = entries.at(-1)?.id;
  const id = `e${entries.length + 1}`;
  entries.push({ version: 1, id, parents: last === undefined ? [] : [last], lane: 'main', ...draft });
  return id;
}

function tooLarge(total: number, hard: number): HarnessError {
  return new HarnessError(
    'context_overflow',
    `The next request would have about ${total} tokens, and ${hard} fit beside its answer.`,
    { details: { total, hard } },
  );
}
