/** An entry is one line of a transcript: a message, a layer of the system prompt, a compaction, or a refused one. */
import { z } from 'zod';
import { CompactionBlock, Message, StopReason, Usage } from './message.ts';
import { CompactionReceipt } from './compaction-receipt.ts';

const EntryBase = z.object({
  version: z.literal(1),
  /** `e1`, `e2`, …: unique in the transcript; summaries cite it as `[#e12]`. */
  id: z.string().regex(/^e\d+$/),
  /** The entries that this one follows; the first has none (S4.1). */
  parents: z.array(z.string()),
  /** `main`, or the lane of a fork or sub-agent (S4.1). */
  lane: z.string(),
  /** The step of the run that made it, such as `design.r1`; a repeated step makes its entries again. */
  step: z.string().optional(),
  /** Time of writing, if known. Absent in runs, whose steps must repeat exactly. */
  at: z.iso.datetime().optional(),
});

/** Kinds of text that the harness injects into a conversation; the rules of a policy name them (S2.1). */
export const ItemKind = z.enum([
  'memory',
  'injection',
  'skill_prompt',
  'skill_metadata',
  'subagent_strategy',
  'recap',
  'ephemeral',
  'pointer',
]);
export type ItemKind = z.infer<typeof ItemKind>;

export const MessageEntry = EntryBase.extend({
  type: z.literal('message'),
  /**
   * The author: a person, the harness (a task that opens a turn), the model, the tools that answered the model, or the
   * harness again with a reminder, which opens no turn.
   */
  origin: z.enum(['human', 'harness', 'model', 'tools', 'reminder']),
  message: Message,
  /** Set on injected entries, which may leave the view by themselves. */
  item: ItemKind.optional(),
  /** A person's message to an agent at work: the actor, the time, and the event of the run that holds it. */
  said: z.object({ actor: z.string(), at: z.string(), event: z.int().nonnegative() }).optional(),
  /** On a reminder: a compaction carries its words until a person or a task opens the next turn. */
  holds: z.literal('turn').optional(),
  /** `call`: shown to the next model call only (S2.7). */
  lasts: z.literal('call').optional(),
  /**
   * On a reminder: earlier thinking is no longer sent, because the API refused it or the model changed. With `lasts` it is
   * the thinking of the next answer and all before, which is bound to a message that leaves.
   */
  dropsThinking: z.literal(true).optional(),
  /** On an answer that the server paused: the next request ends with it, and the server goes on. */
  pauses: z.literal(true).optional(),
  /** From here on the images of these entries are shown as this text, since the model has seen them (S3.10). */
  pointers: z.record(z.string(), z.string()).optional(),
  /** Only on a message that opens a turn: the numbers of the context policy from here on. */
  context: z
    .object({
      ...{ policy: z.string(), window: z.int(), trigger: z.int(), target: z.int(), hard: z.int() },
      /**
       * Digest of model, system prompt and tools, which precede the conversation. A change begins a new epoch, because
       * thinking is bound to it (docs/internals/compaction-cases.md T5), and earlier bills no longer predict the next.
       */
      header: z.string().optional(),
      /** The agent's settings while it worked on this: its definition may have changed since (S3.1). */
      ...{ model: z.string().optional(), tools: z.array(z.string()).optional(), maxSteps: z.int().optional() },
    })
    .optional(),
  /** Only on model entries: the API's response, and the digest of the view it was measured on (S0.6). */
  response: z
    .object({
      model: z.string(),
      requestId: z.string().optional(),
      stopReason: StopReason,
      usage: Usage,
      view: z.string(),
      /** The expected tokens of the request. */
      estimated: z.int().nonnegative().optional(),
    })
    .optional(),
});
export type MessageEntry = z.infer<typeof MessageEntry>;

/**
 * A part of the system prompt beyond the agent's own: `CODE_LAW.md`, the skills (S1.1, S1.2). It is never in the
 * history. The newest of a name counts; a change begins a new epoch, because thinking is bound to the system prompt.
 */
export const LayerEntry = EntryBase.extend({
  type: z.literal('layer'),
  name: z.string().min(1),
  /** Empty when the layer is removed. */
  text: z.string(),
  /** The rules in `text`, one by one, on the layer of pinned rules. */
  rules: z.array(z.string()).optional(),
  /** Text that closes an open tool loop, whose thinking is dropped by the change. */
  note: z.string().min(1).optional(),
});
export type LayerEntry = z.infer<typeof LayerEntry>;

/** The place of the summary in the view (S0.9, S2.4, S1.9, S4.9): a message, the API's own block, or none. */
export const SummaryPlace = z.enum(['assistant', 'user', 'system', 'server', 'none']);
export type SummaryPlace = z.infer<typeof SummaryPlace>;

export const CompactionEntry = EntryBase.extend({
  type: z.literal('compaction'),
  /** Id of the last entry that the summary covers; empty when the compaction only edits retained messages. */
  coversThrough: z.string(),
  /** Id of the first retained entry; absent when none is retained. */
  keepsFrom: z.string().optional(),
  /** The mock user message with the carried facts that opens the view from now on (S0.7, S0.20). */
  request: z.string().min(1),
  /** The model's answer without its thinking (S0.12). */
  summary: z.string().min(1),
  /** The user message between summary and retained steps (S0.9). */
  bridge: z.string().min(1),
  /** Text after the retained tool results that closes a tool loop without thinking (docs/internals/api-rules.md §2.5, §10). */
  note: z.string().min(1).optional(),
  /** Shortened tool results: tool_use id -> the text in the view (S0.11). */
  shortened: z.record(z.string(), z.string()),
  /** Calls with a shortened input: tool_use id -> the input in the view (S1.4). */
  inputs: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  /** Absent means `assistant`. */
  place: SummaryPlace.optional(),
  /** Earlier summaries, oldest first, that stay unchanged before this one (S1.7). */
  archives: z.array(z.string()).optional(),
  /** Entries after the cut that leave the view nevertheless (S2.2). */
  left: z.array(z.string()).optional(),
  /** Maps entries whose images are replaced to the pointer in the view (S3.10). */
  pointers: z.record(z.string(), z.string()).optional(),
  /** The block that the API made, for `place: server`: sent back unchanged (docs/internals/api-rules.md §5.4). */
  block: CompactionBlock.optional(),
  /** True keeps the thinking of retained steps: the API made the summary, or drops blocks it cannot read. */
  keepsThinking: z.boolean().optional(),
  receipt: CompactionReceipt,
});
export type CompactionEntry = z.infer<typeof CompactionEntry>;

export const RefusedEntry = EntryBase.extend({
  type: z.literal('compaction_refused'),
  /** The failed rule of acceptance, or the failure of the call; the circuit breaker counts per cause. */
  cause: z.string(),
  detail: z.string(),
  usage: Usage.optional(),
});
export type RefusedEntry = z.infer<typeof RefusedEntry>;

export const Entry = z.discriminatedUnion('type', [MessageEntry, LayerEntry, CompactionEntry, RefusedEntry]);
export type Entry = z.infer<typeof Entry>;

/** Drops the lanes of sub-agents; a transcript without a main lane is one conversation. */
export function selectMainLane(entries: readonly Entry[]): readonly Entry[] {
  const main = entries.filter(({ lane }) => lane === 'main');
  return main.length === 0 ? entries : main;
}

export type UnplacedEntry<E extends Entry> = Omit<E, 'version' | 'id' | 'parents' | 'lane' | 'step'>;
/** An entry before it has a place in a transcript: the core makes drafts. */
export type EntryDraft =
  | UnplacedEntry<MessageEntry>
  | UnplacedEntry<LayerEntry>
  | UnplacedEntry<CompactionEntry>
  | UnplacedEntry<RefusedEntry>;

/** Returns the entry that follows `entries`, which are those of one lane and are not changed. */
export function placeEntry<One extends EntryDraft>(entries: readonly Entry[], draft: One) {
  const last = entries.at(-1);
  const id = `e${last === undefined ? 1 : getEntryNumber(last) + 1}`;
  return {
    ...{ version: 1 as const, id, parents: last === undefined ? [] : [last.id], lane: last?.lane ?? 'main' },
    ...draft,
  };
}

/** Lists the entries of `lane` that its newest entry descends from, in the order in which they were made. */
export function listLineage(entries: readonly Entry[], lane: string): Entry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const own = entries.filter((entry) => entry.lane === lane);
  const found = new Set<Entry>();
  const open = own.toSorted(compareEntries).slice(-1);
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    if (found.has(entry)) continue;
    found.add(entry);
    open.push(...entry.parents.flatMap((id) => byId.get(id) ?? []));
  }
  return own.filter((entry) => found.has(entry)).toSorted(compareEntries);
}

/** Orders entries as they were made. */
export function compareEntries(one: Pick<Entry, 'id'>, other: Pick<Entry, 'id'>): number {
  return getEntryNumber(one) - getEntryNumber(other);
}

/** Returns the number in an entry's id: `e12` is the twelfth entry of its transcript. */
export function getEntryNumber({ id }: Pick<Entry, 'id'>): number {
  return Number(id.slice(1));
}
