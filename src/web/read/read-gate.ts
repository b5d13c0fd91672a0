/** One gate for its reviewer: the frozen pack, and what has happened since. */
import { gateId, type GateDecision, type OpenGate } from '../../gate/rules/gate.ts';
import { readPack } from '../../gate/read-pack.ts';
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import type { DesignChange, Designs } from '../../ports/decisions.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunEvent } from '../../run/event.ts';
import type { RunState } from '../../run/state.ts';
import { sinceFor, type Since } from './changes-since.ts';
import { openSnapshot } from '../../run-folder/snapshot.ts';

export type GateView = {
  run: RunFolder;
  state: RunState;
  events: readonly RunEvent[];
  pack: ReviewPack;
  /** Set while this gate waits. */
  open: OpenGate | undefined;
  /** Decisions at this gate, oldest first. */
  decisions: readonly GateDecision[];
  /** The changes that this reviewer is shown as new. */
  since: Since;
  /** A reviewer's edit of this design, which must be decided on now. */
  edit: (DesignChange & { dir: string; by: string }) | undefined;
};

/** The gate to read, and its reader as `user:<name>`. */
export type GateReader = { run: RunFolder; gate: string; actor: string };

/** Reads the journal once for everything that a page shows of it. */
export async function readGate({ run, gate, actor }: GateReader, designs: Pick<Designs, 'compare'>): Promise<GateView> {
  const { state, events } = await openSnapshot(run);
  const pack = await readPack(run, gate);
  const open = state.status === 'awaiting_approval' && state.gate.id === gate ? state.gate : undefined;
  const read = { run, state, events, pack, open };
  return {
    ...read,
    decisions: state.decisions.filter((decision) => decision.gate === gate),
    since: await sinceFor(read, actor, designs),
    edit: await readDesignEdit(read, designs),
  };
}

/** Returns the folder of the round's design, edited or not. */
export function getDesignDir(state: RunState, pack: Pick<ReviewPack, 'round' | 'designDir'>): string {
  return state.designs.find(({ round }) => round === pack.round)?.editedDir ?? pack.designDir;
}

async function readDesignEdit(
  { run, state, pack }: Pick<GateView, 'run' | 'state' | 'pack'>,
  designs: Pick<Designs, 'compare'>,
): Promise<GateView['edit']> {
  const dir = getDesignDir(state, pack);
  if (dir === pack.designDir) return undefined;
  const by = state.decisions.findLast((one) => one.editedDir === dir)?.actor ?? 'a reviewer';
  return { ...(await designs.compare(run, pack.designDir, dir)), dir, by };
}

/** Returns the newest gate of a run; it may have been answered. */
export function newestGate(state: RunState): string | undefined {
  const last = state.designs.at(-1);
  return last === undefined ? undefined : gateId(last.round);
}
