/** Puts what was recorded into the order of the wire: one entry a response, all its results right after it. */
import type { Entry, MessageEntry } from '../../transcript/entry.ts';
import type { ImportedItem, ImportNote } from './item.ts';
import type { Block, ToolResultBlock } from '../../transcript/message.ts';

export type Arranged = {
  entries: MessageEntry[];
  /** Lines at which the recorder compacted its own context. */
  compactions: { line: number; tokensBefore?: number }[];
  notes: ImportNote[];
};

type Answer = Extract<ImportedItem, { kind: 'answer' }>;
type SpokenItem = Extract<ImportedItem, { kind: 'said' }>;
type Turn = { item: Answer | SpokenItem; results: ToolResultBlock[]; resultsAtMs?: number; recordersView: number };

export function arrange(items: readonly ImportedItem[]): Arranged {
  const notes: ImportNote[] = [];
  const { turns, compactions } = collect(items, notes);
  const entries: MessageEntry[] = [];
  for (const { item, results, resultsAtMs, recordersView } of turns) {
    push(entries, spokenEntry(item, recordersView), item.atMs);
    if (results.length > 0)
      push(entries, { origin: 'tools', message: { role: 'user', content: results } }, resultsAtMs);
  }
  return { entries, compactions, notes };
}

/** Pieces of one response come together; a result goes to the response that made the call, wherever it was written. */
function collect(items: readonly ImportedItem[], notes: ImportNote[]) {
  const turns: Turn[] = [];
  const byKey = new Map<string, Turn>();
  const byCall = new Map<string, Turn>();
  const compactions: Arranged['compactions'] = [];
  const ids = createIds();
  for (const item of items) {
    if (item.kind === 'compacted') {
      const { line, tokensBefore } = item;
      compactions.push({ line, ...(tokensBefore === undefined ? {} : { tokensBefore }) });
    } else if (item.kind === 'results') giveResults(item, byCall, ids, notes);
    else {
      const known = item.kind === 'answer' && item.key !== undefined ? byKey.get(item.key) : undefined;
      const turn = known ?? { item: { ...item, blocks: [] }, results: [], recordersView: compactions.length };
      if (known === undefined) turns.push(turn);
      if (item.kind === 'answer' && item.key !== undefined) byKey.set(item.key, turn);
      addBlocks(turn, item, byCall, ids, notes);
    }
  }
  return { turns: turns.filter(({ item }) => item.blocks.length > 0), compactions };
}

/** What each side may say; anything else in its messages is a mistake of the recording. */
const SAYABLE: Record<'answer' | 'said', ReadonlySet<Block['type']>> = {
  answer: new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']),
  said: new Set(['text', 'image']),
};

function addBlocks(
  turn: Turn,
  item: Answer | SpokenItem,
  byCall: Map<string, Turn>,
  ids: Ids,
  notes: ImportNote[],
): void {
  for (const block of item.blocks) {
    if (!SAYABLE[item.kind].has(block.type)) {
      notes.push({ line: item.line, text: `${block.type} cannot stand in this message: left out` });
      continue;
    }
    const placed = block.type === 'tool_use' ? { ...block, id: ids.ofCall(block.id) } : block;
    if (placed.type === 'tool_use') byCall.set(placed.id, turn);
    turn.item.blocks.push(placed);
  }
  if (item.kind === 'answer' && turn.item.kind === 'answer') {
    // Every piece of a streamed response repeats the usage; the last one has counted all of the output.
    if (item.usage !== undefined) turn.item.usage = item.usage;
    if (item.stopReason !== undefined) turn.item.stopReason = item.stopReason;
  }
}

function giveResults(
  item: Extract<ImportedItem, { kind: 'results' }>,
  byCall: ReadonlyMap<string, Turn>,
  ids: Ids,
  notes: ImportNote[],
): void {
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

type Ids = ReturnType<typeof createIds>;

/** Ids of calls must fit the wire and be unique; a result means the latest call of its id. */
function createIds() {
  const taken = new Set<string>();
  const latest = new Map<string, string>();
  return {
    ofCall(raw: string): string {
      const clean = raw.replaceAll(/[^a-zA-Z0-9_-]/g, '_') || 'call';
      let id = clean;
      for (let copy = 2; taken.has(id); copy += 1) id = `${clean}_${copy}`;
      taken.add(id);
      latest.set(raw, id);
      return id;
    },
    ofResult: (raw: string): string => latest.get(raw) ?? raw,
  };
}

function spokenEntry(item: Answer | SpokenItem, recordersView: number): Unplaced {
  if (item.kind === 'said') return { origin: item.origin, message: { role: 'user', content: item.blocks } };
  const { blocks, usage } = item;
  const stopReason = item.stopReason ?? (blocks.some(isCall) ? 'tool_use' : 'end_turn');
  // After a compaction of the recorder's own the usage was measured on a view that nobody can compute again.
  const view = recordersView === 0 ? 'e0' : `recorded-${recordersView}`;
  return {
    origin: 'model',
    message: { role: 'assistant', content: blocks },
    ...(usage === undefined ? {} : { response: { model: item.model ?? 'unknown', stopReason, usage, view } }),
  };
}

type Unplaced = Pick<MessageEntry, 'origin' | 'message' | 'response'>;

function push(entries: Entry[], unplaced: Unplaced, atMs: number | undefined): void {
  const id = `e${entries.length + 1}`;
  const parents = entries.length === 0 ? [] : [`e${entries.length}`];
  const at = atMs === undefined ? {} : { at: new Date(atMs).toISOString() };
  entries.push({ version: 1, type: 'message', id, parents, lane: 'main', ...at, ...unplaced });
}

function isCall({ type }: Block): boolean {
  return type === 'tool_use';
}
