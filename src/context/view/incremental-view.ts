/** Follows one session: computing the next view and its size reads only the entries appended since the last call. */
import type { Entry } from '../../transcript/entry.ts';
import { takeSnapshot, type ContextSnapshot } from '../context-snapshot.ts';
import type { Core } from '../core.ts';
import { computePressure, type Moment, type Pressure } from '../plan/pressure.ts';
import { createUsageTracker } from './usage-tracker.ts';
import { buildView, type View } from './view.ts';

export type IncrementalView = {
  /** Goes into any function that takes entries. Contract: out of date as soon as this view has read more entries. */
  snapshot(entries: readonly Entry[]): ContextSnapshot;
  view(entries: readonly Entry[]): View;
  pressure(entries: readonly Entry[], moment?: Moment): Pressure;
};

/**
 * Contract: the same answers as `view` and `shouldCompact`, for any entries at any time; fast when the entries are
 * those of the last call with others appended.
 */
export function createIncrementalView(core: Core): IncrementalView {
  let tracker = createUsageTracker();
  let length = 0;
  let last: Entry | undefined;
  let current: ContextSnapshot | undefined;
  function snapshot(entries: readonly Entry[]): ContextSnapshot {
    const continues = entries.length >= length && entries[length - 1] === last;
    if (continues && entries.length === length && current?.entries === entries) return current;
    if (!continues) {
      tracker = createUsageTracker();
      length = 0;
    }
    for (const entry of entries.slice(length)) tracker.feed(entry);
    length = entries.length;
    last = entries.at(-1);
    return (current = takeSnapshot(entries, tracker));
  }
  return {
    snapshot,
    view: (entries) => buildView(snapshot(entries).projection),
    pressure: (entries, moment = {}) => computePressure(snapshot(entries).measure(), core, moment),
  };
}
