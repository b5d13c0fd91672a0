/** One gate for its reviewer: the frozen pack, and what has happened since. */
import { gateId, type GateDecision, type OpenGate } from '../../gate/rules/gate.ts';
import { readPack } from '../../gate/read-pack.ts';
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import type { DesignChange, Designs } from '../../ports/decisions.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunEvent } from '../../run/event.ts';
import type { RunState } from '../../run/state.ts';
import { openSnapshot } from '../../run-folder/snapshot.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { isSameActor } from '../../gate/rules/same-actor.ts';

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

type Since = ReviewPack['since'] & {
  /** True when the reader decided on the design that this one is compared with. */
  mine: boolean;
  /** True when that design was not approved: the reader requested changes. */
  asked: boolean;
};

/** The pack compares with the last approved design. A reader who approved another one gets the comparison with that. */
async function sinceFor(
  { run, state, pack }: { run: RunFolder; state: Pick<RunState, 'decisions'>; pack: ReviewPack },
  actor: string,
  designs: Pick<Designs, 'compare'>,
): Promise<Since> {
  const own = state.decisions.filter((one) => one.round < pack.round && isSameActor(one.actor, actor));
  const approved = own.findLast(({ decision }) => decision.endsWith('approve'));
  // After an approval by the reader, only approvals count, because a request for changes approves nothing.
  const base = approved ?? (pack.since.round === null ? own.at(-1) : undefined);
  if (base === undefined) return { ...pack.since, mine: false, asked: false };
  const whose = { mine: true, asked: approved === undefined };
  const { round, editedDir } = base;
  if (round === pack.since.round) return { ...pack.since, ...whose };
  const change = await designs.compare(run, editedDir ?? `design/r${round}`, pack.designDir);
  const claims = new Map(pack.since.rules.map(({ id, evidence, reason }) => [id, omitUndefined({ evidence, reason })]));
  const rules = change.rules.map((one) => ({ ...one, ...claims.get(one.id) }));
  return { ...change, rules, round, ...whose };
}
