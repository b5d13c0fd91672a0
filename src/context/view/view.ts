/** What the model is shown: computed from the entries of one lane, byte-stable between two compactions. */
import type { CompactionEntry, Entry, MessageEntry } from '../../transcript/entry.ts';
import type { Message } from '../../transcript/message.ts';
import type { ViewMessage } from './projector.ts';
import { createProjection, endOf } from './projection.ts';
import type { Projection } from './projection.ts';
import { viewReceipt } from '../record/receipt.ts';
import type { ViewReceipt } from '../record/receipt.ts';

export type View = {
  messages: Message[];
  /** Goes into `response.view` of the answer: usage counts only for the epoch that it was measured in (S0.6). */
  epoch: string;
  /** Messages before this index were rewritten: no thinking stands in them (`ProtocolRules.rewrittenThrough`). */
  rewrittenThrough: number;
  receipt: ViewReceipt;
  /** Parts of the system prompt that follow the agent's own: `CODE_LAW.md`, skills (S1.1). */
  system: string[];
  /** Messages at the end that no later call will see: no cache mark belongs on them (S2.7). */
  passing: number;
};

/**
 * The head that the newest compaction gives it, the kept steps, and everything appended since, untouched.
 * Contract: never changes its input; a finished answer at the very end is left out until something follows it.
 */
export function view(entries: readonly Entry[]): View {
  return viewOf(project(entries));
}

export function viewOf(projection: Projection): View {
  const end = endOf(projection.shown);
  return {
    messages: projection.shown.slice(0, end).map(({ message }) => message),
    epoch: projection.epoch,
    rewrittenThrough: Math.min(projection.rewrittenThrough, end),
    receipt: viewReceipt(projection),
    system: [...projection.layers.values()].filter((text) => text !== ''),
    passing: projection.passing(),
  };
}

export function project(entries: readonly Entry[]): Projection {
  const projection = createProjection();
  for (const entry of entries) projection.feed(entry);
  return projection;
}

/** The newest compaction: it alone decides what the view begins with. */
export function latestCompaction(entries: readonly Entry[]): CompactionEntry | undefined {
  return entries.findLast((entry) => entry.type === 'compaction');
}

/** The messages that stand in the view as themselves: those after the cut of the newest compaction. */
export function liveEntries(entries: readonly Entry[]): MessageEntry[] {
  return [...project(entries).live];
}

/** The whole projection, a finished answer at the end included: what a summary request is appended to. */
export function projectEntries(entries: readonly Entry[]): {
  shown: readonly ViewMessage[];
  rewrittenThrough: number;
  skipped: readonly string[];
} {
  const { shown, rewrittenThrough, skipped } = project(entries);
  return { shown, rewrittenThrough, skipped };
}
