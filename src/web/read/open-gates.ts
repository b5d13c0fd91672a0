/** Lists every waiting gate, oldest first. */
import type { GateReading } from '../../gate/rules/sameness.ts';
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import type { Handover } from '../../run/exchanges.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { getRunIndex } from '../../run-folder/run-index.ts';
import { runKeys } from './find-run.ts';
import { findWaitingGate, type WaitingRun } from './find-waiting-gate.ts';

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
