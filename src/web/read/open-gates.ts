/** Every gate that waits, oldest first, and which of them ask for the very same change. */
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import type { RunState } from '../../run/state.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { runKeys } from './find-run.ts';
import { findWaitingGate } from './find-waiting-gate.ts';

export type WaitingGate = {
  /** Names the run in addresses. */
  key: string;
  /** Absolute path of the run folder. */
  dir: string;
  pack: ReviewPack;
  /** The design that must be decided on, which an edit may have changed since the pack was frozen. */
  digest: string;
  openedAt: string;
  approvals: readonly string[];
  need: number;
  /** The same for gates whose change against an approved design is the same, word for word. */
  change: string;
};

export type Unreadable = { key: string; why: string };

/** Folders are looked at a few at a time. */
const AT_ONCE = 32;

/** `only` are run folders to look at; without it, all of the project. */
export async function openGates(
  deps: ReviewDeps,
  only?: ReadonlySet<string>,
): Promise<{ waiting: WaitingGate[]; unreadable: Unreadable[] }> {
  const runs = await deps.store.list();
  const keyOf = runKeys(runs);
  const asked = only === undefined ? runs : runs.filter(({ dir }) => only.has(dir));
  const waiting: WaitingGate[] = [];
  const unreadable: Unreadable[] = [];
  for (let start = 0; start < asked.length; start += AT_ONCE) {
    const some = asked.slice(start, start + AT_ONCE);
    const looked = await Promise.all(some.map(({ dir }) => findWaitingGate(dir, deps.store)));
    for (const [index, run] of some.entries()) {
      const { waits, why } = looked[index] ?? {};
      if (waits !== undefined) waiting.push(gateOf(keyOf(run), run.dir, waits.state, waits.pack));
      if (why !== undefined) unreadable.push({ key: keyOf(run), why });
    }
  }
  return { waiting: waiting.toSorted(byAge), unreadable };
}

/** Who waits longest is served first; between two of one moment the name decides, so that the order never changes. */
function byAge(one: WaitingGate, other: WaitingGate): number {
  return one.openedAt.localeCompare(other.openedAt) || one.key.localeCompare(other.key);
}

function gateOf(
  key: string,
  dir: string,
  state: Extract<RunState, { status: 'awaiting_approval' }>,
  pack: ReviewPack,
): WaitingGate {
  const { digest, openedAt, approvals, need } = state.gate;
  return { key, dir, pack, digest, openedAt, approvals, need, change: gateChange(state, pack, digest) };
}

/** All that a reviewer reads of it: only where the whole of it is the same would a second look see nothing new. */
export function gateChange(state: RunState, pack: ReviewPack, digest: string): string {
  const { scenario, summary, checks, questions, comments, effect, since } = pack;
  const notes = [summary, checks, questions, comments.map(({ text, addressed }) => [text, addressed]), effect.text];
  const change = isBaseByPerson(state, since.round) ? [since.rules, since.format, bodyOf(since.diff)] : digest;
  return JSON.stringify([scenario, state.origin.scenarioDigest, notes, change]);
}

/** Compared with nothing, or with what no person has read, only the very same design is the same. */
function isBaseByPerson({ decisions }: RunState, round: number | null): boolean {
  const base = decisions.findLast((one) => one.round === round && one.decision.endsWith('approve'));
  return base?.actor.startsWith('user:') ?? false;
}

/** The lines that were added and removed: file headers name the rounds, which may differ. */
function bodyOf(diff: string): string[] {
  return diff.split('\n').filter((line) => /^[-+](?![-+]{2} )/.test(line));
}

/** Groups in the order of their oldest gate. */
export function gateGroups(waiting: readonly WaitingGate[]): WaitingGate[][] {
  const groups = new Map<string, WaitingGate[]>();
  for (const gate of waiting) groups.set(gate.change, [...(groups.get(gate.change) ?? []), gate]);
  return [...groups.values()];
}
