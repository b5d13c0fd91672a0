/** Puts recorded items into the order of the API: one entry for each response, followed by all its results. */
import type { Entry, MessageEntry } from '../../transcript/entry.ts';
import { chooseFreeId, toSendableId } from '../../transcript/call-pairs.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { ImportedItem, ImportNote } from './imported-item.ts';
import type { Block, ToolResultBlock } from '../../transcript/message.ts';

export type Arranged = {
  /** One lane, without the compactions of the recorder. */
  entries: MessageEntry[];
  /** Lines at which the recorder compacted its own context. */
  compactions: { line: number; tokensBefore?: number }[];
  /** The parts that were left out or changed, with their lines. */
  notes: ImportNote[];
};

type AnswerItem = Extract<ImportedItem, { kind: 'answer' }>;
type SpokenItem = Extract<ImportedItem, { kind: 'said' }>;
type RecordedTurn = {
  item: AnswerItem | SpokenItem;
  results: ToolResultBlock[];
  resultsAtMs?: number;
  recordersView: number;
};

export function arrangeItems(items: readonly ImportedItem[]): Arranged {
  const { turns, compactions, notes } = collectTurns(items);
  const entries: MessageEntry[] = [];
  for (const { item, results, resultsAtMs, recordersView } of turns) {
    if (item.blocks.length === 0) continue;
    pushEntry(entries, spokenEntry(item, recordersView), item.atMs);
    if (results.length > 0)
      pushEntry(entries, { origin: 'tools', message: { role: 'user', content: results } }, resultsAtMs);
  }
  return { entries, compactions, notes };
}

type Collected = Pick<Arranged, 'compactions' | 'notes'> & {
  turns: RecordedTurn[];
  /** The turns of streamed responses by key, and those of calls by id. */
  byKey: Map<string, RecordedTurn>;
  byCall: Map<string, RecordedTurn>;
  ids: ReturnType<typeof createIds>;
};

/** Joins the pieces of one response; a result goes to the response that made the call, wherever it is in the file. */
function collectTurns(items: readonly ImportedItem[]): Collected {
  const collected: Collected = {
    ...{ turns: [], compactions: [], notes: [] },
    ...{ byKey: new Map(), byCall: new Map(), ids: createIds() },
  };
  for (const item of items) {
    if (item.kind === 'compacted') {
      const { line, tokensBefore } = item;
      collected.compactions.push({ line, ...omitUndefined({ tokensBefore }) });
    } else if (item.kind === 'results') addResults(collected, item);
    else addBlocks(collected, item, getTurn(collected, item));
  }
  return collected;
}

function getTurn({ turns, byKey, compactions }: Collected, item: AnswerItem | SpokenItem): RecordedTurn {
  const key = item.kind === 'answer' ? item.key : undefined;
  const known = key === undefined ? undefined : byKey.get(key);
  if (known !== undefined) return known;
  const turn = { item: { ...item, blocks: [] }, results: [], recordersView: compactions.length };
  turns.push(turn);
  if (key !== undefined) byKey.set(key, turn);
  return turn;
}

/** The kinds of blocks that each side may send; any other is a mistake of the recording. */
const ALLOWED_BLOCKS: Record<'answer' | 'said', ReadonlySet<Block['type']>> = {
  answer: new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']),
  said: new Set(['text', 'image']),
};

function addBlocks({ byCall, ids, notes }: Collected, item: AnswerItem | SpokenItem, turn: RecordedTurn): void {
  for (const block of item.blocks) {
    if (!ALLOWED_BLOCKS[item.kind].has(block.type)) {
      notes.push({ line: item.line, text: `${block.type} cannot stand in this message: left out` });
      continue;
    }
    const placed = block.type === 'tool_use' ? { ...block, id: ids.ofCall(block.id, turn) } : block;
    if (placed.type === 'tool_use') byCall.set(placed.id, turn);
    turn.item.blocks.push(placed);
  }
  if (item.kind === 'answer' && turn.item.kind === 'answer') {
    // Every piece of a streamed response repeats the usage; only the last one counts all of the output.
    if (item.usage !== undefined) turn.item.usage = item.usage;
    if (item.stopReason !== undefined) turn.item.stopReason = item.stopReason;
  }
}

function addResults({ byCall, ids, notes }: Collected, item: Extract<ImportedItem, { kind: 'results' }>): void {
  for (const block of item.blocks) {
    if (block.type !== 'tool_result') continue;
    const id = ids.ofResult(block.tool_use_id);
    const turn = byCall.get(id);
    if (turn === undefined || turn.results.some(({ tool_use_id }) => tool_use_id === id)) {
      const why = turn === undefined ? 'answers no call' : 'is the second one';
      notes.push({ line: item.line, text: `the result for ${block.tool_use_id.slice(0, 80)} ${why}: left out` });
      continue;
    }
    turn.results.push({ ...block, tool_use_id: id });
    if (item.atMs !== undefined) turn.resultsAtMs = item.atMs;
  }
}

/** Ids of calls must be valid for the API and unique; results refer to the latest calls with their id, in order. */
function createIds() {
  const taken = new Set<string>();
  const latest = new Map<string, { turn: RecordedTurn; ids: string[] }>();
  return {
    ofCall(raw: string, turn: RecordedTurn): string {
      const id = chooseFreeId(toSendableId(raw), taken);
      taken.add(id);
      const before = latest.get(raw);
      if (before?.turn === turn) before.ids.push(id);
      else latest.set(raw, { turn, ids: [id] });
      return id;
    },
    ofResult(raw: string): string {
      const { ids } = latest.get(raw) ?? { ids: [raw] };
      return (ids.length > 1 ? ids.shift() : ids[0]) ?? raw;
    },
  };
}

function spokenEntry(item: AnswerItem | SpokenItem, recordersView: number): UnplacedMessage {
  if (item.kind === 'said') return { origin: item.origin, message: { role: 'user', content: item.blocks } };
  const { blocks, usage } = item;
  const stopReason = item.stopReason ?? (blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn');
  // The usage after a compaction of the recorder was measured on a context that cannot be reconstructed.
  const view = recordersView === 0 ? 'e0' : `recorded-${recordersView}`;
  return {
    origin: 'model',
    message: { role: 'assistant', content: blocks },
    ...(usage === undefined ? {} : { response: { model: item.model ?? 'unknown', stopReason, usage, view } }),
  };
}

type UnplacedMessage = Pick<MessageEntry, 'origin' | 'message' | 'response'>;

function pushEntry(entries: Entry[], unplaced: UnplacedMessage, atMs: number | undefined): void {
  const id = `e${entries.length + 1}`;
  const parents = entries.length === 0 ? [] : [`e${entries.length}`];
  const at = atMs === undefined ? {} : { at: new Date(atMs).toISOString() };
  entries.push({ version: 1, type: 'message', id, parents, lane: 'main', ...at, ...unplaced });
}
