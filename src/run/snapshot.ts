/** A run as its journal describes it: its events and their folded state, extended by each further event. */
import type { RunEvent } from './event.ts';
import { applyEvent, fold } from './fold.ts';
import type { RunState } from './state.ts';

export type RunSnapshot = { readonly events: readonly RunEvent[]; readonly state: RunState };

/** Folds the events; throws the errors of `fold`. */
export function createSnapshot(events: readonly RunEvent[]): RunSnapshot {
  return { events, state: fold(events) };
}

/** Extends the snapshot by events that follow its last one. */
export function extendSnapshot({ events, state }: RunSnapshot, more: readonly RunEvent[]): RunSnapshot {
  return { events: [...events, ...more], state: more.reduce<RunState>(applyEvent, state) };
}
