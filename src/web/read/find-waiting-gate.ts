/** Finds out whether a run waits at a gate; cached until there are new events, as there may be ten thousand runs. */
import { readState } from '../../run-folder/snapshot.ts';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
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
};
/** `why` is set for a run that cannot be read; `isOver` for a run in which nothing can happen any more. */
export type GateLookup = { waits?: WaitingRun; why?: string; isOver?: boolean };

/** Two events within this time may leave the folder with the same modification time. */
const SETTLED_MS = 3000;
/** Maximum number of cached packs; a run that does not wait needs almost no memory. */
const MOST_PACKS = 1000;

type CachedLookup = { changedMs: number; looked: GateLookup };

/** Each store has its own cache. */
const stores = new WeakMap<RunStore, Map<string, CachedLookup>>();

export async function findWaitingGate(dir: string, store: RunStore): Promise<GateLookup> {
  const cached = stores.get(store) ?? new Map<string, CachedLookup>();
  stores.set(store, cached);
  const known = cached.get(dir);
  if (known?.looked.isOver === true) return known.looked;
  const changedMs = await readChangeTime(dir);
  if (changedMs === undefined) return {};
  if (known !== undefined && known.changedMs === changedMs) return known.looked;
  const looked = await readGateLookup(dir, store);
  const isSettled = Date.now() - changedMs > SETTLED_MS;
  cached.delete(dir);
  if (isSettled && looked.why === undefined && (looked.waits === undefined || packsIn(cached) < MOST_PACKS))
    cached.set(dir, { changedMs, looked });
  return looked;
}

function packsIn(cached: ReadonlyMap<string, CachedLookup>): number {
  let packs = 0;
  for (const { looked } of cached.values()) if (looked.waits !== undefined) packs += 1;
  return packs;
}

/** Returns undefined when there is no journal yet. */
async function readChangeTime(dir: string): Promise<number | undefined> {
  return (await stat(join(dir, 'events')).catch(() => undefined))?.mtimeMs;
}

async function readGateLookup(dir: string, store: RunStore): Promise<GateLookup> {
  try {
    const run = await store.open(dir);
    const state = await readState(run);
    if (state.status !== 'awaiting_approval')
      // A rejection can be taken back, so the run must be looked at again.
      return 'verdict' in state && listUndoable(state).length === 0 ? { isOver: true } : {};
    const pack = await readPack(run, state.gate.id);
    return { waits: { state, pack, reading: gateReading(state, pack, state.gate.digest) } };
  } catch (error) {
    // An unreadable run must not hide the others; it is read again each time.
    if (isHarnessError(error)) return { why: describeError(error) };
    throw error;
  }
}
