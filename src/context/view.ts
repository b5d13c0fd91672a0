/** What the model is shown: computed from the entries of one lane, byte-stable between two compactions. */
import { HarnessError } from '../errors.ts';
import { toolUses, userText } from '../transcript/message.ts';
import type { CompactionEntry, Entry, MessageEntry } from '../transcript/entry.ts';
import type { Message } from '../transcript/message.ts';
import { asKept } from './kept.ts';
import { createProjector } from './project.ts';
import type { Shown } from './project.ts';
import { viewReceipt } from './receipt.ts';
import type { ViewReceipt } from './receipt.ts';

/** The epoch before the first compaction. */
const FIRST_EPOCH = 'e0';

export type View = {
  messages: Message[];
  /** Goes into `response.view` of the answer: usage counts only for the epoch that it was measured in (S0.6). */
  epoch: string;
  /** Messages before this index were rewritten: no thinking stands in them (`ProtocolRules.rewrittenThrough`). */
  rewrittenThrough: number;
  receipt: ViewReceipt;
};

/**
 * `[request, summary, bridge, ...kept steps without thinking] + everything appended since, untouched`.
 * Contract: never changes its input; a finished answer at the very end is left out until something follows it.
 */
export function view(entries: readonly Entry[]): View {
  const { shown, ...rest } = projectEntries(entries);
  const end = shown.findLastIndex(({ message }) => message.role !== 'assistant' || toolUses(message).length > 0);
  const messages = shown.slice(0, end + 1).map(({ message }) => message);
  return {
    messages,
    epoch: epochOf(entries),
    rewrittenThrough: Math.min(rest.rewrittenThrough, messages.length),
    receipt: viewReceipt(entries, latestCompaction(entries), rest.skipped),
  };
}

/** The id of the newest compaction: what the view begins with changes with it, and only with it. */
export function epochOf(entries: readonly Entry[]): string {
  return latestCompaction(entries)?.id ?? FIRST_EPOCH;
}

/** The newest compaction: it alone decides what the view begins with. */
export function latestCompaction(entries: readonly Entry[]): CompactionEntry | undefined {
  return entries.findLast((entry) => entry.type === 'compaction');
}

/** The messages that stand in the view as themselves: those after the cut of the newest compaction. */
export function liveEntries(entries: readonly Entry[]): MessageEntry[] {
  const { kept, since } = splitAtCompaction(entries);
  return [...kept, ...since];
}

/** The whole projection, a finished answer at the end included: what a summary request is appended to. */
export function projectEntries(entries: readonly Entry[]): {
  shown: Shown[];
  rewrittenThrough: number;
  skipped: string[];
} {
  const { compaction, kept, since } = splitAtCompaction(entries);
  const projector = createProjector();
  if (compaction !== undefined) {
    for (const { id, message } of kept) projector.push(id, asKept(message, compaction.shortened));
    projector.closeCalls();
    const head = headOf(compaction, projector.shown[0]);
    closeToolLoop(projector.shown, compaction);
    projector.shown.unshift(...head);
  }
  const rewrittenThrough = projector.shown.length;
  for (const { id, message } of since) projector.push(id, message);
  return { shown: projector.shown, rewrittenThrough, skipped: projector.skipped };
}

function splitAtCompaction(entries: readonly Entry[]) {
  const compaction = latestCompaction(entries);
  const messages = (list: readonly Entry[]) => list.filter((entry) => entry.type === 'message');
  if (compaction === undefined) return { compaction, kept: [], since: messages(entries) };
  const place = entries.indexOf(compaction);
  const cut = entries.findIndex(({ id }) => id === compaction.coversThrough);
  if (cut < 0 || cut >= place)
    throw new HarnessError(
      'data_corrupt',
      `Compaction ${compaction.id} covers through ${compaction.coversThrough}, which does not stand before it.`,
      { details: { compaction: compaction.id, coversThrough: compaction.coversThrough } },
    );
  return { compaction, kept: messages(entries.slice(cut + 1, place)), since: messages(entries.slice(place + 1)) };
}

/** A kept part that opens with a user message needs no bridge: the roles already fit (S0.9). */
function headOf(compaction: CompactionEntry, firstKept: Shown | undefined): Shown[] {
  const { id, request, summary, bridge } = compaction;
  const head: Message[] = [userText(request), { role: 'assistant', content: [{ type: 'text', text: summary }] }];
  if (firstKept?.message.role !== 'user') head.push(userText(bridge));
  return head.map((message) => ({ id, message }));
}

/**
 * Kept results whose thinking is gone would leave an open tool loop without it, and whether models with bound thinking
 * take that is not established (messages-api §10). A text after the results ends the loop, so the question never comes.
 */
function closeToolLoop(kept: Shown[], compaction: CompactionEntry): void {
  const last = kept.at(-1);
  if (last?.message.role !== 'user' || compaction.note === undefined) return;
  if (!last.message.content.some(({ type }) => type === 'tool_result')) return;
  const content = [...last.message.content, { type: 'text' as const, text: compaction.note }];
  kept[kept.length - 1] = { id: last.id, message: { role: 'user', content } };
}
