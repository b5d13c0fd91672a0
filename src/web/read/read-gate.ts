/** One gate as its reviewer needs it: the frozen pack, and what has happened around it since. */
import { gateId, type GateDecision, type OpenGate } from '../../gate/rules/gate.ts';
import { readPack } from '../../gate/read-pack.ts';
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import type { DesignChange } from '../../ports/decisions.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunState } from '../../run/state.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { sinceFor, type Since } from './changes-since.ts';
import { readState } from '../../run-folder/snapshot.ts';

export type GateView = {
  run: RunFolder;
  state: RunState;
  pack: ReviewPack;
  /** Set while this very gate waits. */
  open: OpenGate | undefined;
  /** Decisions at this gate, oldest first. */
  decisions: readonly GateDecision[];
  /** What this reviewer is shown as new. */
  since: Since;
  /** A reviewer's edit of this design, which is what stands to be decided now. */
  edit: (DesignChange & { dir: string; by: string }) | undefined;
};

export async function readGate(
  run: RunFolder,
  gate: string,
  actor: string,
  deps: Pick<ReviewDeps, 'designs'>,
): Promise<GateView> {
  const state = await readState(run);
  const pack = await readPack(run, gate);
  const open = state.status === 'awaiting_approval' && state.gate.id === gate ? state.gate : undefined;
  return {
    run,
    state,
    pack,
    open,
    decisions: state.decisions.filter((decision) => decision.gate === gate),
    since: await sinceFor(run, state, pack, actor, deps.designs),
    edit: await editOf(run, state, pack, deps),
  };
}

/** The folder in which the design of a round stands now. */
export function designDirOf(state: RunState, pack: Pick<ReviewPack, 'round' | 'designDir'>): string {
  return state.designs.find(({ round }) => round === pack.round)?.editedDir ?? pack.designDir;
}

async function editOf(
  run: RunFolder,
  state: RunState,
  pack: ReviewPack,
  { designs }: Pick<ReviewDeps, 'designs'>,
): Promise<GateView['edit']> {
  const dir = designDirOf(state, pack);
  if (dir === pack.designDir) return undefined;
  const by = state.decisions.findLast((one) => one.editedDir === dir)?.actor ?? 'a reviewer';
  return { ...(await designs.compare(run, pack.designDir, dir)), dir, by };
}

/** The newest gate of a run, which may have been answered. */
export function newestGate(state: RunState): string | undefined {
  const last = state.designs.at(-1);
  return last === undefined ? undefined : gateId(last.round);
}
