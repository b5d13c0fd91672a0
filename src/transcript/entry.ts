/** One line of a transcript: a message, a layer of the system prompt, a compaction, or one that was refused. */
import { z } from 'zod';
import { CompactionBlock, Message, StopReason, Usage } from './message.ts';
import { CompactionReceipt } from './compaction-receipt.ts';

const Base = z.object({
  version: z.literal(1),
  /** `e1`, `e2`, … unique in the transcript; summaries cite it as `[#e12]`. */
  id: z.string().regex(/^e\d+$/),
  /** Entries this one follows; the first has none (S4.1). */
  parents: z.array(z.string()),
  /** `main`, or the lane of a fork or sub-agent (S4.1). */
  lane: z.string(),
  /** The step of the run that made it: `design.r1`, `execute.i3`; a step that is tried again makes its entries again. */
  step: z.string().optional(),
  /** When it was written, if known: never in a run, whose steps must repeat exactly. */
  at: z.iso.datetime().optional(),
});

/** Kinds of text that the harness injects into the conversation: rules of a policy name them (S2.1). */
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

export const MessageEntry = Base.extend({
  type: z.literal('message'),
  /**
   * Who made it: a person, the harness (a task that opens a turn), the model, the tools that answered the model, or the
   * harness again with a reminder, which opens nothing.
   */
  origin: z.enum(['human', 'harness', 'model', 'tools', 'reminder']),
  message: Message,
  /** Set on injected entries; such an entry may leave the view alone. */
  item: ItemKind.optional(),
  /** A person's words to an agent at work: who said them, when, and the event of the run that holds them. */
  said: z.object({ actor: z.string(), at: z.string(), event: z.int().nonnegative() }).optional(),
  /** `call`: shown to the next model call and to none after it (S2.7). */
  lasts: z.literal('call').optional(),
  /** On a reminder: no thinking from before it is sent any more, because the API refused it or another model goes on. */
  dropsThinking: z.literal(true).optional(),
  /** From here on the images of these entries are shown as this text: the model has seen them (S3.10). */
  pointers: z.record(z.string(), z.string()).optional(),
  /** Only on a message that opens a turn: the context policy from here on, in its numbers. */
  context: z
    .object({
      ...{ policy: z.string(), window: z.int(), trigger: z.int(), target: z.int(), hard: z.int() },
      /**
       * Digest of model, system prompt and tools, which precede the conversation. Another one than before is a new epoch,
       * because thinking is bound to it (docs/compaction-cases.md T5), and earlier bills no longer predict the next.
       */
      header: z.string().optional(),
      /** What the agent had while it worked on this: its definition may be another one now (S3.1). */
      ...{ model: z.string().optional(), tools: z.array(z.string()).optional(), maxSteps: z.int().optional() },
    })
    .optional(),
  /** Only on model entries: what the API returned, and the digest of the view it was measured on (S0.6). */
  response: z
    .object({
      model: z.string(),
      requestId: z.string().optional(),
      stopReason: StopReason,
      usage: Usage,
      view: z.string(),
      /** Tokens that the request was expected to have. */
      estimated: z.int().nonnegative().optional(),
    })
    .optional(),
});
export type MessageEntry = z.infer<typeof MessageEntry>;

/**
 * A part of the system prompt beyond the agent's own: `CODE_LAW.md`, the skills (S1.1, S1.2). Never in the history. The
 * newest of a name counts; a change begins a new epoch, because thinking is bound to the system prompt.
 */
export const LayerEntry = Base.extend({
  type: z.literal('layer'),
  name: z.string().min(1),
  /** Empty: the layer is gone. */
  text: z.string(),
  /** Closes an open tool loop, whose thinking goes with the change. */
  note: z.string().min(1).optional(),
});
export type LayerEntry = z.infer<typeof LayerEntry>;

/** The place of the summary in the view: S0.9, S2.4, S1.9 and S4.9, the API's own block, or nowhere. */
export const SummaryPlace = z.enum(['assistant', 'user', 'system', 'server', 'none']);
export type SummaryPlace = z.infer<typeof SummaryPlace>;

export const CompactionEntry = Base.extend({
  type: z.literal('compaction'),
  /** The last entry that the summary covers; empty when the compaction only edits retained messages. */
  coversThrough: z.string(),
  /** The first retained entry; absent when none is retained. */
  keepsFrom: z.string().optional(),
  /** The mock user message that opens the view from now on, with the carried facts (S0.7, S0.20). */
  request: z.string().min(1),
  /** The model's answer, without its thinking (S0.12). */
  summary: z.string().min(1),
  /** The user message between the summary and the retained steps (S0.9). */
  bridge: z.string().min(1),
  /** Text after the retained tool results: it closes a tool loop whose thinking is gone (docs/api-rules.md §2.5, §10). */
  note: z.string().min(1).optional(),
  /** Shortened tool results: tool_use id -> the text in the view (S0.11). */
  shortened: z.record(z.string(), z.string()),
  /** Calls with a shortened input: tool_use id -> the input in the view (S1.4). */
  inputs: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  /** Absent: `assistant`. */
  place: SummaryPlace.optional(),
  /** Earlier summaries, oldest first, that stay unchanged before this one (S1.7). */
  archives: z.array(z.string()).optional(),
  /** Entries after the cut that leave the view all the same (S2.2). */
  left: z.array(z.string()).optional(),
  /** Entries whose images are replaced -> the pointer in the view (S3.10). */
  pointers: z.record(z.string(), z.string()).optional(),
  /** What the API made, for `place: server`: sent back unchanged (docs/api-rules.md §5.4). */
  block: CompactionBlock.optional(),
  /** The thinking of retained steps stays: the API made the summary, or drops the blocks that it cannot read. */
  keepsThinking: z.boolean().optional(),
  receipt: CompactionReceipt,
});
export type CompactionEntry = z.infer<typeof CompactionEntry>;

export const RefusedEntry = Base.extend({
  type: z.literal('compaction_refused'),
  /** The rule of acceptance that failed, or the kind of failure of the call; the circuit breaker counts per cause. */
  cause: z.string(),
  detail: z.string(),
  usage: Usage.optional(),
});
export type RefusedEntry = z.infer<typeof RefusedEntry>;

export const Entry = z.discriminatedUnion('type', [MessageEntry, LayerEntry, CompactionEntry, RefusedEntry]);
export type Entry = z.infer<typeof Entry>;

/** Without the lanes of sub-agents; a transcript without a main lane is one conversation. */
export function mainLane(entries: readonly Entry[]): readonly Entry[] {
  const main = entries.filter(({ lane }) => lane === 'main');
  return main.length === 0 ? entries : main;
}

type Draft<E extends Entry> = Omit<E, 'version' | 'id' | 'parents' | 'lane' | 'step'>;
/** Gives an entry its place in a transcript: what the core makes is a draft until then. */
export type EntryDraft = Draft<MessageEntry> | Draft<LayerEntry> | Draft<CompactionEntry> | Draft<RefusedEntry>;

/** Contract: the entry that follows `entries`, which are those of one lane; they do not change. */
export function placeEntry<One extends EntryDraft>(entries: readonly Entry[], draft: One) {
  const last = entries.at(-1);
  const id = `e${last === undefined ? 1 : Number(last.id.slice(1)) + 1}`;
  return {
    ...{ version: 1 as const, id, parents: last === undefined ? [] : [last.id], lane: last?.lane ?? 'main' },
    ...draft,
  };
}

/** Of `lane`, in the order in which they were made; an entry that the newest does not come from is none of them. */
export function lineage(entries: readonly Entry[], lane: string): Entry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const own = entries.filter((entry) => entry.lane === lane);
  const found = new Set<Entry>();
  const open = own.toSorted((one, other) => numberOf(one) - numberOf(other)).slice(-1);
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    if (found.has(entry)) continue;
    found.add(entry);
    open.push(...entry.parents.flatMap((id) => byId.get(id) ?? []));
  }
  return own.filter((entry) => found.has(entry)).toSorted((one, other) => numberOf(one) - numberOf(other));
}

/** `e12` is the twelfth entry of its transcript. */
export function numberOf({ id }: Pick<Entry, 'id'>): number {
  return Number(id.slice(1));
}
