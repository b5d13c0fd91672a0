/** A run as its journal describes it: the events and the state they fold to, extended by each further event. */
import type { RunEvent } from './event.ts';
import { applyEvent, fold } from './fold.ts';
import type { RunState } from './state.ts';

export type RunSnapshot = { readonly events: readonly RunEvent[]; readonly state: RunState };

/** Contract: throws what `fold` throws. */
export function snapshotOf(events: readonly RunEvent[]): RunSnapshot {
  return { events, state: fold(events) };
}

/** `more` follows the last event of the snapshot. */
export function extendSnapshot({ events, state }: RunSnapshot, more: readonly RunEvent[]): RunSnapshot {
  return { events: [...events, ...more], state: more.reduce<RunState>(applyEvent, state) };
}
