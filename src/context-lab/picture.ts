/** The view for display: its messages by kind, size and age, the cut, and the history before it. */
import { takeHead, estimateBlock, estimateMessages } from '../transcript/tokens.ts';
import { inputTokens, getText, listToolUses, type Block, type Message } from '../transcript/message.ts';
import { selectMainLane, type CompactionEntry, type Entry } from '../transcript/entry.ts';
import { changesOf, listItems, type ContextChange, type Item } from '../context/index.ts';
import { deriveCallRecords, type CallRecord } from '../transcript/call-record.ts';
import { contextHistory, type ContextHistory } from './history.ts';
import { projectEntries, view } from '../context/view/view.ts';

export const BLOCK_KINDS = ['facts', 'summary', 'said', 'answer', 'thinking', 'call', 'result', 'image'] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

/** One message of the view. */
export type PictureRow = {
  entry: string;
  role: Message['role'];
  /** Messages between it and the end: 0 is the newest. */
  age: number;
  /** The newest compaction rewrote it. */
  rewritten: boolean;
  parts: { kind: BlockKind; tokens: number }[];
  /** Its tools, or the beginning of its text. */
  label: string;
};

export type ContextPicture = {
  rows: PictureRow[];
  /** Estimated tokens of the view by kind, the largest first. */
  kinds: { kind: BlockKind; tokens: number }[];
  /** System prompt and tools, computed from the first billed call. */
  fixed: number;
  tokens: number;
  /** The messages that the newest compaction replaced with a summary. */
  cut?: { entry: string; coversThrough: string; covered: number; coveredTokens: number };
  /** The header and the conversation as typed items, by type, the largest first (S2.1). */
  items: { type: Item['type']; segment: Item['segment']; count: number; tokens: number }[];
  /** Every change of what the model is shown, oldest first (S2.8). */
  changes: ContextChange[];
  history: ContextHistory;
};

const LABEL_CHARS = 60;

/** Draws the main lane, without the lanes of sub-agents. Without `calls`, their records come from the transcript. */
export function drawContext(
  all: readonly Entry[],
  calls: readonly CallRecord[] = deriveCallRecords(all, ''),
): ContextPicture {
  const entries = selectMainLane(all);
  const { projector, rewrittenThrough, compaction } = projectEntries(entries);
  const { shown } = projector;
  const rows = shown.map(({ id, message }, place): PictureRow => ({
    entry: id,
    role: message.role,
    age: shown.length - 1 - place,
    rewritten: place < rewrittenThrough,
    parts: listParts(message, id === compaction?.id),
    label: formatLabel(message),
  }));
  const fixed = computeFixedTokens(entries);
  const kinds = sumByKind(rows);
  const cut = compaction === undefined ? undefined : measureCut(entries, compaction);
  return {
    rows,
    kinds,
    fixed,
    tokens: fixed + kinds.reduce((sum, { tokens }) => sum + tokens, 0),
    ...(cut === undefined ? {} : { cut }),
    items: sumByType(entries),
    changes: changesOf(entries),
    history: contextHistory(calls),
  };
}

function listParts(message: Message, madeByCompaction: boolean): PictureRow['parts'] {
  const tokens = new Map<BlockKind, number>();
  for (const block of message.content) {
    const kind = classifyBlock(block, message, madeByCompaction);
    tokens.set(kind, (tokens.get(kind) ?? 0) + estimateBlock(block));
  }
  return [...tokens].map(([kind, count]) => ({ kind, tokens: count }));
}

function classifyBlock(block: Block, { role }: Message, madeByCompaction: boolean): BlockKind {
  switch (block.type) {
    case 'tool_use':
      return 'call';
    case 'tool_result':
      return Array.isArray(block.content) && block.content.some(({ type }) => type === 'image') ? 'image' : 'result';
    case 'image':
      return 'image';
    case 'thinking':
    case 'redacted_thinking':
      return 'thinking';
    case 'text':
      if (!madeByCompaction) return role === 'assistant' ? 'answer' : 'said';
      return block.text.includes('<carried_facts>') ? 'facts' : 'summary';
    default:
      return 'summary';
  }
}

function formatLabel(message: Message): string {
  const tools = listToolUses(message).map(({ name }) => name);
  const answered = message.content.filter(({ type }) => type === 'tool_result').length;
  const text = getText(message).replaceAll(/\s+/g, ' ').trim();
  const label =
    tools.length > 0 ? tools.join(', ') : answered > 0 ? `${answered} result${answered === 1 ? '' : 's'}` : text;
  return takeHead(label, LABEL_CHARS);
}

function sumByKind(rows: readonly PictureRow[]): ContextPicture['kinds'] {
  const parts = rows.flatMap((row) => row.parts);
  return BLOCK_KINDS.map((kind) => ({
    kind,
    tokens: parts.filter((part) => part.kind === kind).reduce((sum, { tokens }) => sum + tokens, 0),
  }))
    .filter(({ tokens }) => tokens > 0)
    .toSorted((one, other) => other.tokens - one.tokens);
}

function sumByType(entries: readonly Entry[]): ContextPicture['items'] {
  const byType = Map.groupBy(listItems(entries), ({ type }) => type);
  return [...byType]
    .map(([type, [first, ...rest]]) => {
      const tokens = rest.reduce((sum, one) => sum + one.tokens, first?.tokens ?? 0);
      return { type, segment: first?.segment ?? 'conversation', count: rest.length + 1, tokens };
    })
    .toSorted((one, other) => other.tokens - one.tokens);
}

/** Returns the billed tokens of the first call minus the estimate for its messages. */
function computeFixedTokens(entries: readonly Entry[]): number {
  const place = entries.findIndex((entry) => entry.type === 'message' && entry.response !== undefined);
  const first = entries[place];
  if (first?.type !== 'message' || first.response === undefined) return 0;
  return Math.max(0, inputTokens(first.response.usage) - estimateMessages(view(entries.slice(0, place)).messages));
}

function measureCut(entries: readonly Entry[], { id, coversThrough }: CompactionEntry): ContextPicture['cut'] {
  const end = entries.findIndex((entry) => entry.id === coversThrough);
  const covered = entries.slice(0, end + 1).flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
  return { entry: id, coversThrough, covered: covered.length, coveredTokens: estimateMessages(covered) };
}
