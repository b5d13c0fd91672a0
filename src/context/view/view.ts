/** The messages that the model reads: computed from the entries of one lane, byte-stable between two compactions. */
import type { CompactionEntry, Entry } from '../../transcript/entry.ts';
import type { Message } from '../../transcript/message.ts';
import { createProjection, findViewEnd, feedProjection, type Projection } from './projection.ts';
import { viewReceipt, type ViewReceipt } from '../record/receipt.ts';

export type View = {
  messages: Message[];
  /** Goes into `response.view` of the answer: usage counts only for the epoch that it was measured in (S0.6). */
  epoch: string;
  /** Messages before this index were rewritten: no thinking is left in them (`ProtocolRules.rewrittenThrough`). */
  rewrittenThrough: number;
  receipt: ViewReceipt;
  /** Parts of the system prompt that follow the agent's own: `CODE_LAW.md`, skills (S1.1). */
  system: string[];
  /** Messages at the end that no later call reads: no cache mark belongs on them (S2.7). */
  passing: number;
  /** The view ends with an answer that the server has yet to finish. */
  paused?: true;
};

/**
 * The newest compaction's summary, the retained steps, and everything appended since, unchanged.
 * Contract: never changes its input; a finished answer at the very end is left out until something follows it.
 */
export function view(entries: readonly Entry[]): View {
  return buildView(projectEntries(entries));
}

export function buildView(projection: Projection): View {
  const { shown } = projection.projector;
  const end = findViewEnd(projection);
  return {
    messages: shown.slice(0, end).map(({ message }) => message),
    epoch: projection.epoch,
    rewrittenThrough: Math.min(projection.rewrittenThrough, end),
    receipt: viewReceipt(projection),
    system: [...projection.layers.values()].filter((text) => text !== ''),
    passing: countPassing(projection),
    ...(projection.projector.paused() ? { paused: true } : {}),
  };
}

/** Messages at the end whose present form no later call reads: the first that is for one call, or has a new image, and all after it. */
function countPassing({ passing, unseen, projector: { shown } }: Projection): number {
  const first = shown.findIndex(({ id }) => passing.includes(id) || unseen.includes(id));
  return first < 0 ? 0 : shown.length - first;
}

export function projectEntries(entries: readonly Entry[]): Projection {
  const projection = createProjection();
  for (const entry of entries) feedProjection(projection, entry);
  return projection;
}

export function latestCompaction(entries: readonly Entry[]): CompactionEntry | undefined {
  return entries.findLast((entry) => entry.type === 'compaction');
}
