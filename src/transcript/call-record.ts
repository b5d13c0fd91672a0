/** The record of one model call of an agent (`context_cost`, S4.6): its limits, estimate, decisions and bill. */
import { z } from 'zod';
import { AutoRecord, CompactionReceipt, PassDecision } from './compaction-receipt.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { Entry } from './entry.ts';
import { StopReason, Usage } from './message.ts';

const Tokens = z.int().nonnegative();
const Ms = z.int().nonnegative();

/** A compaction made before this call, or a refused one. */
const Rewrite = z.union([
  z.object({ entry: z.string(), coversThrough: z.string(), receipt: CompactionReceipt, ms: Ms.optional() }),
  z.object({ entry: z.string(), cause: z.string(), detail: z.string() }),
]);

export const CallRecord = z.object({
  version: z.literal(1),
  /** Step, lane and number in the lane: the same in every try of the step. */
  id: z.string(),
  agent: z.string(),
  lane: z.string(),
  step: z.string().optional(),
  /** Absent for a record derived from a transcript that is older than these records. */
  at: z.iso.datetime().optional(),
  purpose: z.enum(['answer', 'summary']),
  model: z.string(),
  /** The numbers of the policy; `reserved` are the tokens kept free for the answer. */
  limit: z
    .object({
      policy: z.string(),
      window: Tokens,
      reserved: Tokens.optional(),
      trigger: Tokens,
      target: Tokens,
      hard: Tokens,
    })
    .optional(),
  /** How the trigger was computed under `trigger: auto`. */
  auto: AutoRecord.optional(),
  /** The expected input tokens, and whether the estimate rests on billed usage. */
  estimate: Tokens.optional(),
  source: z.enum(['usage', 'estimate']).optional(),
  /** The epoch of the view that was sent. */
  epoch: z.string().optional(),
  /** Attempts of passes that led to no compaction; those of a compaction are in its receipt. */
  decisions: z.array(PassDecision).default([]),
  rewrites: z.array(Rewrite).default([]),
  /** The entries that the model no longer reads, and how each can be read again. */
  left: z
    .object({
      where: z.string(),
      ranges: z.array(z.object({ from: z.string(), through: z.string(), why: z.string() })),
    })
    .optional(),
  openGate: z.string().optional(),
  /** Absent while under way, and for good if its process died. `not_sent`: no request could be made. */
  outcome: z.enum(['answered', 'failed', 'not_sent']).optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  /** The id of the entry that holds the answer. */
  entry: z.string().optional(),
  stopReason: StopReason.optional(),
  usage: Usage.optional(),
  costUsd: z.number().nonnegative().optional(),
  requestId: z.string().optional(),
  ms: Ms.optional(),
  /** When the answer arrived: the same at every replay of the call. */
  answeredAt: z.iso.datetime().optional(),
});
export type CallRecord = z.infer<typeof CallRecord>;

/**
 * Returns the calls in the order in which they began: a line replaces the earlier line of the same call. A failed call
 * stays, and a later try of its step is a call of its own.
 */
export function foldCalls(lines: readonly CallRecord[]): CallRecord[] {
  const calls: CallRecord[] = [];
  const places = new Map<string, number>();
  for (const line of lines) {
    const place = places.get(line.id);
    const known = place === undefined ? undefined : calls[place];
    if (place === undefined || known === undefined || known.outcome === 'failed' || known.outcome === 'not_sent') {
      places.set(line.id, calls.push(line) - 1);
      continue;
    }
    // A call that starts again although its answer is known is a replay and adds nothing.
    const isReplay = line.outcome === undefined && known.outcome !== undefined;
    calls[place] = isReplay ? known : { ...line, ...omitUndefined({ at: known.at }) };
  }
  return calls;
}

/** Times by entry, from the separate file in which older runs kept them. */
export type EntryTimes = { ms?: Readonly<Record<string, number>>; at?: Readonly<Record<string, string>> };

/** Derives call records from a transcript, for transcripts that are older than the records. */
export function deriveCallRecords(
  entries: readonly Entry[],
  agent: string,
  { ms = {}, at = {} }: EntryTimes = {},
): CallRecord[] {
  let limit: CallRecord['limit'];
  let rewrites: CallRecord['rewrites'] = [];
  const calls: CallRecord[] = [];
  const base = ({ id, lane, step }: Entry) => ({
    ...{ version: 1 as const, id, agent, lane, purpose: 'answer' as const, decisions: [], rewrites },
    ...omitUndefined({ step, limit }),
  });
  for (const entry of entries) {
    rewrites.push(...toRewrites(entry, ms[entry.id]));
    if (entry.type !== 'message') continue;
    if (entry.context !== undefined) limit = toLimit(entry.context);
    if (entry.response === undefined) continue;
    const { model, usage, view, estimated, stopReason, requestId } = entry.response;
    calls.push({
      ...base(entry),
      model,
      epoch: view,
      outcome: 'answered',
      entry: entry.id,
      stopReason,
      usage,
      ...omitUndefined({ ms: ms[entry.id], answeredAt: at[entry.id], estimate: estimated, requestId }),
    });
    rewrites = [];
  }
  const last = entries.at(-1);
  // A compaction after the last answer belongs to a call that was not recorded.
  if (rewrites.length > 0 && last !== undefined) calls.push({ ...base(last), model: calls.at(-1)?.model ?? 'unknown' });
  return calls;
}

/** Records a compaction or a refused one; of any other entry there is nothing to record. */
export function toRewrites(entry: Entry, ms: number | undefined): CallRecord['rewrites'] {
  if (entry.type === 'compaction_refused') return [{ entry: entry.id, cause: entry.cause, detail: entry.detail }];
  if (entry.type !== 'compaction') return [];
  const { id, coversThrough, receipt } = entry;
  return [{ entry: id, coversThrough, receipt, ...omitUndefined({ ms }) }];
}

type PolicyNumbers = Pick<NonNullable<CallRecord['limit']>, 'policy' | 'window' | 'trigger' | 'target' | 'hard'>;

export function toLimit({ policy, window, trigger, target, hard }: PolicyNumbers): PolicyNumbers {
  return { policy, window, trigger, target, hard };
}
