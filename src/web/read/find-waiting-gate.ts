/** Whether a run waits at a gate, read again only when its journal has grown: a project may have ten thousand runs. */
import { readState } from '../../run-folder/snapshot.ts';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isHarnessError, messageOf } from '../../errors.ts';
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import type { RunStore } from '../../ports/run-store.ts';
import type { RunState } from '../../run/state.ts';
import { readPack } from '../../gate/read-pack.ts';

export type WaitingRun = { state: Extract<RunState, { status: 'awaiting_approval' }>; pack: ReviewPack };
/** `why` is set for a run that cannot be read; neither is for one that waits for nobody. */
export type GateLookup = { waits?: WaitingRun; why?: string };

/** An event that came within this time of the look may have the same time of change as the one that was seen. */
const SETTLED_MS = 3000;
/** Packs are kept for so many gates; what does not wait costs next to nothing. */
const MOST_PACKS = 1000;

type CachedLookup = { changedMs: number; looked: GateLookup };

/** Belongs to the store: who opens another one begins with nothing. */
const stores = new WeakMap<RunStore, Map<string, CachedLookup>>();

export async function findWaitingGate(dir: string, store: RunStore): Promise<GateLookup> {
  const kept = stores.get(store) ?? new Map<string, CachedLookup>();
  stores.set(store, kept);
  const changedMs = await changeOf(dir);
  const known = kept.get(dir);
  if (known !== undefined && known.changedMs === changedMs) return known.looked;
  const looked = await look(dir, store);
  const isSettled = changedMs !== undefined && Date.now() - changedMs > SETTLED_MS;
  kept.delete(dir);
  if (isSettled && looked.why === undefined && (looked.waits === undefined || packsIn(kept) < MOST_PACKS))
    kept.set(dir, { changedMs, looked });
  return looked;
}

function packsIn(kept: ReadonlyMap<string, CachedLookup>): number {
  let packs = 0;
  for (const { looked } of kept.values()) if (looked.waits !== undefined) packs += 1;
  return packs;
}

/** Undefined where there is no journal yet. */
async function changeOf(dir: string): Promise<number | undefined> {
  return (await stat(join(dir, 'events')).catch(() => undefined))?.mtimeMs;
}

async function look(dir: string, store: RunStore): Promise<GateLookup> {
  try {
    const run = await store.open(dir);
    const state = await readState(run);
    return state.status === 'awaiting_approval' ? { waits: { state, pack: await readPack(run, state.gate.id) } } : {};
  } catch (error) {
    // Whatever is wrong with one run hides no other; it is looked at again each time.
    if (isHarnessError(error)) return { why: messageOf(error) };
    throw error;
  }
}
