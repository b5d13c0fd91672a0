/** No endless tries at a summary, no compactions without gain (S0.22, docs/internals/compaction-cases.md T1, T2, T4). */
import { HarnessError } from '../../errors.ts';
import { estimateMessages } from '../../transcript/tokens.ts';
import type { CompactionEntry, Entry } from '../../transcript/entry.ts';
import { inputTokens, type Usage } from '../../transcript/message.ts';
import type { RefusedDraft } from '../summary/prove-compaction.ts';
import { isTask } from '../facts/facts.ts';
import { FALLBACK } from '../record/receipt.ts';
import { latestCompaction } from '../view/view.ts';
import type { Policy } from '../policy.ts';
import type { Pressure } from './pressure.ts';

/**
 * `closed`: call the model. `open`: take the fallback. `stuck`: compaction does not help a context of so many tokens: go on
 * without one, and stop with the error only when the window is full.
 */
export type Breaker =
  | { state: 'closed' }
  | { state: 'open'; cause: string; count: number }
  | { state: 'stuck'; error: HarnessError; tokens: number };

export function checkBreaker(entries: readonly Entry[], policy: Policy): Breaker {
  const error = findNoGain(entries, policy) ?? findQuickRefills(entries, policy);
  if (error !== undefined)
    return { state: 'stuck', error, tokens: latestCompaction(entries)?.receipt.tokensBefore ?? 0 };
  const failed = countRefusals(entries);
  for (const [cause, { count, inEpoch }] of failed)
    if (count >= policy.breaker.perCause && inEpoch > 0) return { state: 'open', cause, count };
  return { state: 'closed' };
}

/**
 * Decides after a refusal: call again (`repair`), continue with the old view and try later (`later`), or `fallback`.
 * After a timeout, with an open breaker, or when the view no longer fits the window, only the fallback is left.
 */
export function afterRefusal(
  entries: readonly Entry[],
  policy: Policy,
  { cause, urgent, repairs }: { cause: string; urgent: boolean; repairs: number },
): 'repair' | 'later' | 'fallback' {
  if (cause === 'timeout' || checkBreaker(entries, policy).state !== 'closed') return 'fallback';
  if (REPAIRABLE.has(cause) && repairs < policy.summary.repairTries) return 'repair';
  return urgent ? 'fallback' : 'later';
}

/** Faults that the model can repair. */
const REPAIRABLE = new Set([
  'tool_call',
  'empty',
  'schema',
  'too_long',
  'unknown_citation',
  'invented_quote',
  'uncited',
  'key_path_unreadable',
]);

/** Builds the entry of a refusal; transport failures are recorded too, so that the breaker counts them. */
export function refusal(cause: string, detail: string, usage?: Usage): RefusedDraft {
  return { type: 'compaction_refused', cause, detail, ...(usage === undefined ? {} : { usage }) };
}

/**
 * Refusals per cause since the last summary that a model wrote. A fallback begins a new epoch in which one try is free,
 * so that an outage that has passed does not leave the session without summaries for ever.
 */
function countRefusals(entries: readonly Entry[]): Map<string, { count: number; inEpoch: number }> {
  const found = new Map<string, { count: number; inEpoch: number }>();
  for (const entry of entries) {
    if (entry.type === 'compaction') {
      if (isModelSummary(entry)) found.clear();
      for (const tally of found.values()) tally.inEpoch = 0;
    }
    if (entry.type !== 'compaction_refused') continue;
    const tally = found.get(entry.cause) ?? { count: 0, inEpoch: 0 };
    found.set(entry.cause, { count: tally.count + 1, inEpoch: tally.inEpoch + 1 });
  }
  return found;
}

/** A summary that a model wrote ends the earlier failures; a mere edit of the view does not. */
function isModelSummary({ receipt }: CompactionEntry): boolean {
  return receipt.usage !== undefined && !receipt.reason.startsWith(FALLBACK);
}

/**
 * Made for another limit, at a cheap moment, or because a person or the API wanted it (`window`), however little there was:
 * the saved tokens say nothing about the next one.
 */
const NOT_FOR_TOKENS: ReadonlySet<string> = new Set<NonNullable<Pressure['because']> | 'window'>([
  'window',
  'messages',
  'bytes',
  'images',
  'cold',
]);

/** The first call after a compaction measures the real saving. */
function findNoGain(entries: readonly Entry[], { breaker }: Policy): HarnessError | undefined {
  const place = entries.findLastIndex(({ type }) => type === 'compaction');
  const compaction = entries[place];
  if (compaction?.type !== 'compaction') return undefined;
  const { reason, occasion = reason } = compaction.receipt;
  if (NOT_FOR_TOKENS.has(occasion)) return undefined;
  const measured = measureFirstCall(entries.slice(place + 1), compaction);
  const { tokensBefore } = compaction.receipt;
  if (measured === undefined || measured < tokensBefore * (1 - breaker.minGain)) return undefined;
  return createStuckError(`compaction ${compaction.id} brought ${tokensBefore} tokens to ${measured}`, {
    tokensBefore,
    measured,
  });
}

/** Entries appended between the compaction and the call are subtracted: the compaction did not add them. */
function measureFirstCall(since: readonly Entry[], { id }: CompactionEntry): number | undefined {
  const place = since.findIndex((entry) => entry.type === 'message' && entry.response?.view === id);
  const answer = since[place];
  if (answer?.type !== 'message' || answer.response === undefined) return undefined;
  const appended = since.slice(0, place).flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
  return inputTokens(answer.response.usage) - estimateMessages(appended);
}

/**
 * Compactions that last only for a call or two cost more than they save: the window is too small for this work. A new
 * request is no loop, so counting starts again from there.
 */
function findQuickRefills(entries: readonly Entry[], { breaker }: Policy): HarnessError | undefined {
  const calls: number[] = [];
  for (const entry of entries) {
    if (entry.type === 'compaction') calls.push(0);
    if (isTask(entry)) calls.length = 0;
    const last = calls.length - 1;
    if (last >= 0 && entry.type === 'message' && entry.origin === 'model') calls[last] = (calls[last] ?? 0) + 1;
  }
  const latest = calls.slice(-breaker.quickTimes);
  if (latest.length < breaker.quickTimes || latest.some((count) => count > breaker.quickSteps)) return undefined;
  return createStuckError(
    `the last ${latest.length} compactions held for at most ${breaker.quickSteps} model calls each`,
    {
      callsPerCompaction: latest,
    },
  );
}

function createStuckError(what: string, details: Record<string, unknown>): HarnessError {
  return new HarnessError(
    'context_overflow',
    `Compaction makes no progress: ${what}. Use a model with a larger window, or lower keep.share and the caps of ` +
      `facts and summary in the context policy.`,
    { details },
  );
}
