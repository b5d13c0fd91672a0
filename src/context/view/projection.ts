/** The view as it grows: fed entry by entry, so that an appended step costs only what was appended. */
import { HarnessError } from '../../errors.ts';
import { toolUses } from '../../transcript/message.ts';
import type { CompactionEntry, Entry, LayerEntry, MessageEntry } from '../../transcript/entry.ts';
import { addText, prependSummary } from './summary-messages.ts';
import { shortenMessage } from './shortened-message.ts';
import { createProjector } from './projector.ts';
import type { ViewMessage } from './projector.ts';

/** The epoch before the first compaction. */
const FIRST_EPOCH = 'e0';

export type Projection = {
  feed(entry: Entry): void;
  /** Changes when what was shown before is no longer the beginning of what is shown now. */
  readonly generation: number;
  readonly shown: readonly ViewMessage[];
  readonly skipped: readonly string[];
  /** Messages before this index were rewritten. */
  readonly rewrittenThrough: number;
  readonly epoch: string;
  /** Of the model, the system prompt and the tools that the conversation stands behind, where that is known. */
  readonly header: string | undefined;
  readonly compaction: CompactionEntry | undefined;
  /** The entries that stand in the view as themselves, after the cut. */
  readonly live: readonly MessageEntry[];
  /** Layers of the system prompt, in the order in which they first came. */
  readonly layers: ReadonlyMap<string, string>;
  /** Message entries that were fed, and how many of them stand before the cut. */
  readonly messages: number;
  readonly covered: number;
  /** How many messages at the end no later call sees as they stand now: the first that is for one call, and all behind it. */
  passing(): number;
};

export function createProjection(): Projection {
  const state = {
    projector: createProjector(),
    generation: 0,
    rewrittenThrough: 0,
    epoch: FIRST_EPOCH,
    header: undefined as string | undefined,
    compaction: undefined as CompactionEntry | undefined,
    live: [] as MessageEntry[],
    layers: new Map<string, string>(),
    /** Live entries before this place lost their thinking, and it cannot come back. */
    stripped: 0,
    /** Message entries by id -> how many came before. */
    known: new Map<string, number>(),
    passing: [] as string[],
    answered: false,
  };

  function feed(entry: Entry): void {
    if (entry.type === 'message') takeMessage(entry);
    else if (entry.type === 'layer') takeLayer(entry);
    else if (entry.type === 'compaction') takeCompaction(entry);
  }

  function takeMessage(entry: MessageEntry): void {
    const { id, message, context } = entry;
    if (context?.header !== undefined) takeHeader(id, context.header);
    state.known.set(id, state.known.size);
    if (entry.origin === 'model') {
      leavePassing();
      state.answered = true;
    }
    const before = state.projector.shown.length;
    // It must leave again without a trace: what would answer open calls cannot.
    if (entry.lasts === 'call' && state.projector.open()) return;
    state.projector.push(id, message);
    if (entry.lasts !== 'call') state.live.push(entry);
    else if (state.projector.shown.length > before) state.passing.push(id);
  }

  /** What was meant for one call is gone once that call is answered (S2.7). */
  function leavePassing(): void {
    if (state.passing.length === 0) return;
    const gone = new Set(state.passing);
    const { shown } = state.projector;
    const stays = ({ id }: ViewMessage) => !gone.has(id);
    state.rewrittenThrough = shown.slice(0, state.rewrittenThrough).filter(stays).length;
    shown.splice(0, shown.length, ...shown.filter(stays));
    state.passing = [];
    state.generation += 1;
  }

  function takeLayer({ id, name, text, note }: LayerEntry): void {
    if ((state.layers.get(name) ?? '') === text) return;
    state.layers.set(name, text);
    if (!state.answered) return;
    beginAnew(id);
    const { shown } = state.projector;
    const last = shown.at(-1);
    const results = last?.message.content.some(({ type }) => type === 'tool_result') === true;
    if (last?.message.role === 'user' && results && note !== undefined) addText(shown, last, note);
  }

  /** A text follows that opens a turn, so no tool loop stays open without its thinking. */
  function takeHeader(id: string, header: string): void {
    const changed = state.header !== undefined && state.header !== header;
    state.header = header;
    if (changed && state.answered) beginAnew(id);
  }

  /** What stands before the conversation has changed: no thinking of it is valid any more. */
  function beginAnew(id: string): void {
    const { shown } = state.projector;
    for (const [place, { id: from, message }] of shown.entries())
      shown[place] = { id: from, message: shortenMessage(message, {}) };
    state.rewrittenThrough = shown.length;
    state.stripped = state.live.length;
    state.epoch = id;
    state.generation += 1;
  }

  function takeCompaction(entry: CompactionEntry): void {
    const from = cutPlace(entry);
    const left = new Set(entry.left);
    const kept = state.live.slice(from);
    const projector = createProjector();
    kept.forEach(({ id, message }, place) => {
      if (left.has(id)) return;
      const keepsThinking = entry.keepsThinking === true && from + place >= state.stripped;
      const edits = { keepsThinking, pointer: entry.pointers?.[id], inputs: entry.inputs };
      projector.push(id, shortenMessage(message, entry.shortened, edits));
    });
    projector.closeCalls();
    state.rewrittenThrough = prependSummary(projector.shown, entry);
    state.live = kept.filter(({ id }) => !left.has(id));
    state.stripped = entry.keepsThinking === true ? Math.max(0, state.stripped - from) : state.live.length;
    Object.assign(state, { projector, compaction: entry, epoch: entry.id, passing: [] });
    state.generation += 1;
  }

  function cutPlace({ id, coversThrough }: CompactionEntry): number {
    if (coversThrough === '') return 0;
    if (!state.known.has(coversThrough))
      throw new HarnessError(
        'data_corrupt',
        `Compaction ${id} covers through ${coversThrough}, which does not stand before it.`,
        { details: { compaction: id, coversThrough } },
      );
    return state.live.findIndex((entry) => entry.id === coversThrough) + 1;
  }

  return {
    feed,
    get generation() {
      return state.generation;
    },
    get shown() {
      return state.projector.shown;
    },
    get skipped() {
      return state.projector.skipped;
    },
    get rewrittenThrough() {
      return state.rewrittenThrough;
    },
    get epoch() {
      return state.epoch;
    },
    get header() {
      return state.header;
    },
    get compaction() {
      return state.compaction;
    },
    get live() {
      return state.live;
    },
    get layers() {
      return state.layers;
    },
    get messages() {
      return state.known.size;
    },
    get covered() {
      return (state.known.get(state.compaction?.coversThrough ?? '') ?? -1) + 1;
    },
    passing() {
      const [first] = state.passing;
      if (first === undefined) return 0;
      return state.projector.shown.length - state.projector.shown.findIndex(({ id }) => id === first);
    },
  };
}

/** Where the view ends: a finished answer at the very end is left out until something follows it. */
export function endOf(shown: readonly ViewMessage[]): number {
  return shown.findLastIndex(({ message }) => message.role !== 'assistant' || toolUses(message).length > 0) + 1;
}
