/** The view of a transcript while it grows: fed entry by entry, so a new step does not read the earlier ones again. */
import { HarnessError } from '../../errors.ts';
import { listImageBlocks } from '../../transcript/images.ts';
import { listToolUses, type Message } from '../../transcript/message.ts';
import type { CompactionEntry, Entry, LayerEntry, MessageEntry } from '../../transcript/entry.ts';
import { leaveLargeImages } from './many-images.ts';
import { addText, prependSummary } from './summary-messages.ts';
import { shortenMessage } from './shortened-message.ts';
import { createProjector, type Projector, type ViewMessage } from './projector.ts';

type GrowingProjection = {
  projector: Projector;
  /** Changes when the messages shown before are no longer the beginning of those shown now. */
  generation: number;
  /** Messages before this index were rewritten. */
  rewrittenThrough: number;
  epoch: string;
  /** Digest of model, system prompt and tools, where it is known. */
  header: string | undefined;
  compaction: CompactionEntry | undefined;
  /** Message entries after the cut that did not leave the view. */
  live: MessageEntry[];
  /** Layers of the system prompt, in the order of their first appearance. */
  layers: Map<string, string>;
  /** Live entries before this place lost their thinking, and it cannot come back. */
  stripped: number;
  /** Message entries by id -> how many came before. */
  known: Map<string, number>;
  /** Entries that only the next model call reads. */
  passing: string[];
  /** The next answer's thinking is bound to an entry that leaves with it. */
  losesThinking: boolean;
  /** Entries with images that no answer has followed yet: the next call but one sees a pointer. */
  unseen: string[];
  answered: boolean;
};

export type Projection = Readonly<
  Omit<GrowingProjection, 'projector' | 'live' | 'layers' | 'known' | 'passing' | 'losesThinking' | 'unseen'>
> & {
  readonly projector: Pick<Projector, 'shown' | 'skipped' | 'open' | 'paused'>;
  readonly live: readonly MessageEntry[];
  readonly layers: ReadonlyMap<string, string>;
  readonly known: ReadonlyMap<string, number>;
  readonly passing: readonly string[];
  readonly unseen: readonly string[];
};

const SMALLER_ONLY = 'Larger images that you saw before are left out now; your thinking about them is gone with them.';

export function createProjection(): GrowingProjection {
  return {
    projector: createProjector(),
    generation: 0,
    rewrittenThrough: 0,
    // The epoch before the first compaction.
    epoch: 'e0',
    header: undefined,
    compaction: undefined,
    live: [],
    layers: new Map(),
    stripped: 0,
    known: new Map(),
    passing: [],
    losesThinking: false,
    unseen: [],
    answered: false,
  };
}

/** Contract: `data_corrupt` for a draft that was appended as it came: nothing could refer to it. */
export function feedProjection(projection: GrowingProjection, entry: Entry): void {
  if (!Object.hasOwn(entry, 'id'))
    throw new HarnessError(
      'data_corrupt',
      `An entry of type ${entry.type} has no id: append placeEntry(entries, draft), not the draft itself.`,
    );
  if (entry.type === 'message') addMessage(projection, entry);
  else if (entry.type === 'layer') applyLayer(projection, entry);
  else if (entry.type === 'compaction') Object.assign(projection, applyCompaction(projection, entry));
}

/** The projection after one compaction more; the given one does not change. */
export function withCompaction(projection: Projection, entry: CompactionEntry): Projection {
  return { ...projection, ...applyCompaction(projection, entry) };
}

function addMessage(projection: GrowingProjection, entry: MessageEntry): void {
  const { id, message, context, origin, lasts } = entry;
  if (context?.header !== undefined) applyHeader(projection, id, context.header);
  if (entry.pointers !== undefined) pointTo(projection, id, entry.pointers);
  const passes = lasts === 'call';
  if (entry.dropsThinking === true && projection.answered && !passes) beginEpoch(projection, id);
  projection.known.set(id, projection.known.size);
  if (origin === 'model') {
    leavePassing(projection);
    projection.answered = true;
    projection.unseen = [];
  } else if (listImageBlocks(message).length > 0) projection.unseen.push(id);
  const { projector } = projection;
  const before = projector.shown.length;
  // A message for one call must leave again without a trace, so it cannot answer open calls or end a pause.
  if (passes && projector.open()) return;
  projector.push(id, message, entry.pauses);
  if (listImageBlocks(message).length > 0) limitImages(projection, id);
  if (!passes) projection.live.push(entry);
  else if (projector.shown.length > before) {
    projection.passing.push(id);
    projection.losesThinking ||= entry.dropsThinking === true;
  }
  if (origin === 'model' && projection.losesThinking) stripThinking(projection);
}

/** Messages meant for one call leave once that call is answered (S2.7). */
function leavePassing(projection: GrowingProjection): void {
  if (projection.passing.length === 0) return;
  const gone = new Set(projection.passing);
  const { shown } = projection.projector;
  const stays = ({ id }: ViewMessage) => !gone.has(id);
  projection.rewrittenThrough = shown.slice(0, projection.rewrittenThrough).filter(stays).length;
  shown.splice(0, shown.length, ...shown.filter(stays));
  projection.passing = [];
  projection.generation += 1;
}

/** An image is sent once. Its message changes, so the thinking after it is bound to what is gone. */
function pointTo(projection: GrowingProjection, id: string, pointers: Readonly<Record<string, string>>): void {
  const pointed = <Held extends { id: string; message: Message }>(held: Held): Held => {
    const pointer = pointers[held.id];
    if (pointer === undefined) return held;
    return { ...held, message: shortenMessage(held.message, {}, { keepsThinking: true, pointer }) };
  };
  const { shown } = projection.projector;
  shown.splice(0, shown.length, ...shown.map(pointed));
  projection.live = projection.live.map(pointed);
  beginEpoch(projection, id);
}

/** Where a message before this one changed, thinking is bound to what is gone, and a text closes the tool loop. */
function limitImages(projection: GrowingProjection, id: string): void {
  const { shown } = projection.projector;
  const changed = leaveLargeImages(shown);
  if (changed === undefined || changed === shown.length - 1) return;
  if (projection.answered) beginEpoch(projection, id);
  closeLoop(projection, SMALLER_ONLY);
}

/** Ends a tool loop whose thinking is gone by a text after its results, except where the server goes on with an answer. */
function closeLoop({ projector }: GrowingProjection, text: string): void {
  const last = projector.shown.at(-1);
  if (last?.message.role !== 'user' || projector.open()) return;
  if (last.message.content.some(({ type }) => type === 'tool_result')) addText(projector.shown, last, text);
}

function applyLayer(projection: GrowingProjection, { id, name, text, note }: LayerEntry): void {
  if ((projection.layers.get(name) ?? '') === text) return;
  projection.layers.set(name, text);
  if (!projection.answered) return;
  beginEpoch(projection, id);
  if (note !== undefined) closeLoop(projection, note);
}

/**
 * The text that follows opens a turn, so no tool loop stays open without its thinking. A header that nobody recorded may have
 * been any: what was answered under it counts as answered under another one.
 */
function applyHeader(projection: GrowingProjection, id: string, header: string): void {
  const changed = projection.header !== header;
  projection.header = header;
  if (changed && projection.answered) beginEpoch(projection, id);
}

/** Thinking is bound to the system prompt before it: after a change none of it is valid any more (docs/internals/compaction-cases.md T5). */
function beginEpoch(projection: GrowingProjection, id: string): void {
  stripThinking(projection);
  projection.epoch = id;
}

function stripThinking(projection: GrowingProjection): void {
  const { shown } = projection.projector;
  for (const [place, { id, message }] of shown.entries()) shown[place] = { id, message: shortenMessage(message, {}) };
  projection.rewrittenThrough = shown.length;
  projection.stripped = projection.live.length;
  projection.losesThinking = false;
  projection.generation += 1;
}

/** The fields that a compaction changes. */
function applyCompaction(projection: Projection, entry: CompactionEntry) {
  const from = cutPlace(projection, entry);
  const left = new Set(entry.left);
  const retained = projection.live.slice(from);
  const projector = createProjector({ hasSummary: entry.place !== 'none' });
  retained.forEach(({ id, message, pauses }, place) => {
    if (left.has(id)) return;
    const keepsThinking = entry.keepsThinking === true && from + place >= projection.stripped;
    const edits = { keepsThinking, pointer: entry.pointers?.[id], inputs: entry.inputs };
    projector.push(id, shortenMessage(message, entry.shortened, edits), pauses);
  });
  projector.closeCalls();
  leaveLargeImages(projector.shown);
  const live = retained.filter(({ id }) => !left.has(id));
  return {
    projector,
    generation: projection.generation + 1,
    rewrittenThrough: prependSummary(projector, entry),
    epoch: entry.id,
    compaction: entry,
    live,
    stripped: entry.keepsThinking === true ? Math.max(0, projection.stripped - from) : live.length,
    passing: [],
    losesThinking: false,
  } satisfies Partial<GrowingProjection>;
}

function cutPlace({ known, live }: Projection, { id, coversThrough }: CompactionEntry): number {
  if (coversThrough === '') return 0;
  if (!known.has(coversThrough))
    throw new HarnessError(
      'data_corrupt',
      `Compaction ${id} covers through ${coversThrough}, which does not stand before it.`,
      { details: { compaction: id, coversThrough } },
    );
  return live.findIndex((entry) => entry.id === coversThrough) + 1;
}

/** The end of the view: a finished answer at the very end is left out until something follows it. */
export function findViewEnd({ projector: { shown, paused } }: Projection): number {
  if (paused()) return shown.length;
  return shown.findLastIndex(({ message }) => message.role !== 'assistant' || listToolUses(message).length > 0) + 1;
}
