/** Finds out whether a run waits at a gate; cached until there are new events, as there may be ten thousand runs. */
import { openSnapshot } from '../../run-folder/snapshot.ts';
import { findHandover, type Handover } from '../../run/exchanges.ts';
import { isHarnessError, describeError } from '../../errors.ts';
import { gateReading, type GateReading } from '../../gate/rules/sameness.ts';
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import type { RunStore } from '../../ports/run-store.ts';
import type { RunState } from '../../run/state.ts';
import { listUndoable } from '../../run/undo.ts';
import { readPack } from '../../gate/read-pack.ts';

export type WaitingRun = {
  state: Extract<RunState, { status: 'awaiting_approval' }>;
  pack: ReviewPack;
  reading: GateReading;
  handover: Handover | undefined;
};
/** `why` is set for a run that cannot be read; `isOver` for a run in which nothing can happen any more. */
export type GateLookup = { waits?: WaitingRun; why?: string; isOver?: boolean };

/** Maximum number of cached packs; a run that does not wait needs almost no memory. */
const MOST_PACKS = 1000;

type CachedLookup = { length: number; looked: GateLookup };

/** Each store has its own cache. */
const stores = new WeakMap<RunStore, Map<string, CachedLookup>>();

/** `length` is the number of the run's events by the index of runs: a run in a store may not be on this disk at all. */
export async function findWaitingGate(
  { dir, length }: { dir: string; length: number },
  store: RunStore,
): Promise<GateLookup> {
  const cached = stores.get(store) ?? new Map<string, CachedLookup>();
  stores.set(store, cached);
  const known = cached.get(dir);
  if (known?.looked.isOver === true || known?.length === length) return known.looked;
  const looked = await readGateLookup(dir, store);
  cached.delete(dir);
  if (looked.why === undefined && (looked.waits === undefined || countPacks(cached) < MOST_PACKS))
    cached.set(dir, { length, looked });
  return looked;
}

function countPacks(cached: ReadonlyMap<string, CachedLookup>): number {
  let packs = 0;
  for (const { looked } of cached.values()) if (looked.waits !== undefined) packs += 1;
  return packs;
}

async function readGateLookup(dir: string, store: RunStore): Promise<GateLookup> {
  try {
    const run = await store.open(dir);
    const { state, events } = await openSnapshot(run);
    if (state.status !== 'awaiting_approval')
      // A rejection can be taken back, so the run must be looked at again.
      return 'verdict' in state && listUndoable(state).length === 0 ? { isOver: true } : {};
    const pack = await readPack(run, state.gate.id);
    const handover = findHandover(events, state.gate.id);
    return { waits: { state, pack, reading: gateReading(state, pack, state.gate.digest), handover } };
  } catch (error) {
    // An unreadable run must not hide the others; it is read again each time.
    if (isHarnessError(error)) return { why: describeError(error) };
    throw error;
  }
}
