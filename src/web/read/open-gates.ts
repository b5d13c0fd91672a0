/** Lists every waiting gate, oldest first. */
import { type GateReading, gateReading } from '../../gate/rules/sameness.ts';
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import { type Handover, findHandover } from '../../run/exchanges.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { getRunIndex } from '../../run-folder/run-index.ts';
import { runKeys } from './find-run.ts';
import { openSnapshot } from '../../run-folder/snapshot.ts';
import { isHarnessError, describeError } from '../../errors.ts';
import type { RunStore } from '../../ports/run-store.ts';
import type { RunState } from '../../run/state.ts';
import { listUndoable } from '../../run/undo.ts';
import { readPack } from '../../gate/read-pack.ts';

export type WaitingGate = {
  /** The run's name in addresses. */
  key: string;
  /** The absolute path of the run folder. */
  dir: string;
  scenario: string;
  pack: ReviewPack;
  /** The digest of the design to decide on, which may have been edited since the pack was frozen. */
  digest: string;
  openedAt: string;
  approvals: readonly string[];
  need: number;
  startedBy: string;
  /** Compared with those of other gates to find gates that one decision can answer. */
  reading: GateReading;
  /** The reviewer to whom another one handed it last. */
  handover: Handover | undefined;
};

export type Unreadable = { key: string; why: string };

/** At most this many folders are read at the same time. */
const AT_ONCE = 32;

/** Gates of one page. */
export const MOST_OF_A_PAGE = 400;

type GateQuery = {
  /** Run folders to look at; all of the project by default. */
  only?: ReadonlySet<string>;
  /** Maximum number of gates to open, all by default; `from` skips as many of the longest-waiting ones. */
  most?: number;
  from?: number;
};

/** `all` counts the waiting gates, opened or not. */
export type OpenGates = { waiting: WaitingGate[]; all: number; unreadable: Unreadable[] };

export async function openGates(
  { store }: Pick<ReviewDeps, 'store'>,
  { only, most = Infinity, from = 0 }: GateQuery = {},
): Promise<OpenGates> {
  const { runs, unreadable: broken } = await getRunIndex(store).look();
  const keyOf = runKeys([...runs, ...broken]);
  const isWanted = ({ dir }: { dir: string }): boolean => only === undefined || only.has(dir);
  // Few of thousands of runs wait; the others are not opened.
  const all = runs.filter((run) => run.gate !== undefined && isWanted(run));
  const inOrder = all.toSorted(
    (one, other) => byTime(one.gate?.openedAt, other.gate?.openedAt) || byTime(one.dir, other.dir),
  );
  const wanted = inOrder.slice(from, from + most);
  const waiting: WaitingGate[] = [];
  const unreadable: Unreadable[] = broken.filter(isWanted).map((run) => ({ key: keyOf(run), why: run.message }));
  for (let start = 0; start < wanted.length; start += AT_ONCE) {
    const some = wanted.slice(start, start + AT_ONCE);
    const looked = await Promise.all(some.map((run) => findWaitingGate(run, store)));
    for (const [index, run] of some.entries()) {
      const { waits, why } = looked[index] ?? {};
      if (waits !== undefined) waiting.push(toWaitingGate(keyOf(run), run, waits));
      if (why !== undefined) unreadable.push({ key: keyOf(run), why });
    }
  }
  return { waiting: waiting.toSorted(byAge), all: all.length, unreadable: unreadable.toSorted(byKey) };
}

function byTime(one = '', other = ''): number {
  return one < other ? -1 : Number(one > other);
}

/** The gate that has waited longest comes first; at equal times the key decides, so that the order never changes. */
function byAge(one: WaitingGate, other: WaitingGate): number {
  return byTime(one.openedAt, other.openedAt) || one.key.localeCompare(other.key);
}

function byKey(one: Unreadable, other: Unreadable): number {
  return one.key < other.key ? -1 : 1;
}

type ListedRun = { dir: string; scenario: string };

function toWaitingGate(
  key: string,
  { dir, scenario }: ListedRun,
  { state, pack, reading, handover }: WaitingRun,
): WaitingGate {
  const { digest, openedAt, approvals, need } = state.gate;
  return { key, dir, scenario, pack, digest, openedAt, approvals, need, startedBy: state.startedBy, reading, handover };
}

type WaitingRun = {
  state: Extract<RunState, { status: 'awaiting_approval' }>;
  pack: ReviewPack;
  reading: GateReading;
  handover: Handover | undefined;
};
/** `why` is set for a run that cannot be read; `isOver` for a run in which nothing can happen any more. */
type GateLookup = { waits?: WaitingRun; why?: string; isOver?: boolean };

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
  return [...cached.values()].filter(({ looked }) => looked.waits !== undefined).length;
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
