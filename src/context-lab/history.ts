/** How an agent's context grew and shrank: every billed call, every compaction and refusal, and every call without an answer. */
import { z } from 'zod';
import { omitUndefined } from '../omit-undefined.ts';
import { CallRecord, toLimit } from '../transcript/call-record.ts';
import { PassDecision } from '../transcript/compaction-receipt.ts';
import { CompactionEntry, MessageEntry } from '../transcript/entry.ts';

const Count = z.int().nonnegative();

const HistoryCall = z.strictObject({
  /** The entry of the answer. */
  entry: z.string(),
  /** 0 before the first compaction. */
  epoch: Count,
  read: Count,
  written: Count,
  /** Input after the last cache mark. */
  fresh: Count,
  output: Count,
  /** Expected input tokens. */
  estimated: Count.optional(),
  /** Time until the answer was complete. */
  durationMs: Count.optional(),
});
export type HistoryCall = z.infer<typeof HistoryCall>;

const HistoryCompaction = z.strictObject({
  entry: z.string(),
  /** The number of calls made before it. */
  afterCalls: Count,
  coversThrough: z.string(),
  receipt: CompactionEntry.shape.receipt,
  durationMs: Count.optional(),
});
export type HistoryCompaction = z.infer<typeof HistoryCompaction>;

/** A call without an answer: under way or dead, failed, or never sent because nothing made it fit. */
const UnansweredCall = z.strictObject({
  id: z.string(),
  afterCalls: Count,
  outcome: z.enum(['under_way', 'answered', 'failed', 'not_sent']),
  error: CallRecord.shape.error,
  estimate: Count.optional(),
  goal: Count.optional(),
  /** Every attempt to make it fit. */
  decisions: z.array(PassDecision),
});
export type UnansweredCall = z.infer<typeof UnansweredCall>;

export const ContextHistory = z.strictObject({
  model: z.string().optional(),
  /** The numbers of the policy under which the agent ran last. */
  context: MessageEntry.shape.context,
  calls: z.array(HistoryCall),
  compactions: z.array(HistoryCompaction),
  unanswered: z.array(UnansweredCall).optional(),
  refusals: z.array(z.strictObject({ entry: z.string(), afterCalls: Count, cause: z.string(), detail: z.string() })),
});
export type ContextHistory = z.infer<typeof ContextHistory>;

/** Builds the history from an agent's call records alone (S4.6); a sub-agent's calls are in its own lane. */
export function contextHistory(records: readonly CallRecord[]): ContextHistory {
  const history: ContextHistory = { calls: [], compactions: [], refusals: [] };
  const unanswered: UnansweredCall[] = [];
  const seen = new Set<string>();
  // An imported transcript may have no lane of that name.
  const main = records.filter(({ lane }) => lane === 'main');
  for (const record of main.length === 0 ? records : main) {
    if (record.purpose !== 'answer') continue;
    const { limit, model, usage, entry, estimate, ms } = record;
    const afterCalls = history.calls.length;
    if (limit !== undefined) history.context = toLimit(limit);
    // A call that failed and was tried again names its compaction twice.
    addRewrites(
      history,
      record.rewrites.filter((one) => !seen.has(one.entry)),
    );
    for (const one of record.rewrites) seen.add(one.entry);
    // A record without a time was made from a transcript, which does not show unanswered calls.
    if (record.outcome !== 'answered' && record.at !== undefined) unanswered.push(toUnansweredCall(record, afterCalls));
    if (usage === undefined || entry === undefined) continue;
    history.model = model;
    history.calls.push({
      entry,
      epoch: history.compactions.length,
      read: usage.cache_read_input_tokens,
      written: usage.cache_creation_input_tokens,
      fresh: usage.input_tokens,
      output: usage.output_tokens,
      ...omitUndefined({ estimated: estimate, durationMs: ms }),
    });
  }
  return unanswered.length === 0 ? history : { ...history, unanswered };
}

function addRewrites({ calls, compactions, refusals }: ContextHistory, rewrites: CallRecord['rewrites']): void {
  const afterCalls = calls.length;
  for (const one of rewrites)
    if ('receipt' in one) {
      const { entry, coversThrough, receipt, ms } = one;
      compactions.push({ entry, afterCalls, coversThrough, receipt, ...omitUndefined({ durationMs: ms }) });
    } else refusals.push({ entry: one.entry, afterCalls, cause: one.cause, detail: one.detail });
}

function toUnansweredCall(
  { id, outcome, error, estimate, decisions, limit }: CallRecord,
  afterCalls: number,
): UnansweredCall {
  const goal = decisions.at(-1)?.goal ?? limit?.target;
  return { id, afterCalls, outcome: outcome ?? 'under_way', decisions, ...omitUndefined({ error, estimate, goal }) };
}

export function billedInput({ read, written, fresh }: HistoryCall): number {
  return read + written + fresh;
}

/** The cached share of all input tokens of ordinary calls, without summary calls; undefined before the first call. */
export function cacheReadShare({ calls }: ContextHistory): number | undefined {
  const input = calls.reduce((sum, call) => sum + billedInput(call), 0);
  return input === 0 ? undefined : calls.reduce((sum, { read }) => sum + read, 0) / input;
}

/** How far the expected tokens were from the billed ones, as the median share; undefined without an expectation. */
export function estimateError({ calls }: ContextHistory): number | undefined {
  const errors = calls.flatMap((call) =>
    call.estimated === undefined || billedInput(call) === 0 ? [] : [Math.abs(call.estimated / billedInput(call) - 1)],
  );
  return errors.toSorted((one, other) => one - other)[Math.floor(errors.length / 2)];
}

/** Returns how long the answers took and which took longest; undefined when no times were recorded. */
export function answerTimes({ calls }: ContextHistory): { ms: number; longest: HistoryCall } | undefined {
  const timed = calls.filter(({ durationMs }) => durationMs !== undefined);
  const [longest] = timed.toSorted((one, other) => (other.durationMs ?? 0) - (one.durationMs ?? 0));
  return longest && { ms: timed.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0), longest };
}
