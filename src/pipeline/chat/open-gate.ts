/** Describes the decision that a person still has to make, for a conversation beside the run (S0.18). */
import type { RunFolder } from '../../ports/run-store.ts';
import { findSnapshot } from '../../run-folder/snapshot.ts';
import type { RunState } from '../../run/state.ts';

/** Undefined when no gate is open, or another one than `id`. */
export function describeOpenGate(state: RunState, id?: string): string | undefined {
  if (state.status !== 'awaiting_approval' || (id !== undefined && state.gate.id !== id)) return undefined;
  const { digest, need, approvals } = state.gate;
  return `${state.gate.id} was open when this was written: a person decides, no agent does. Design ${digest}, ${approvals.length} of ${need} approvals.`;
}

/** The gate that is open now in the run of a session; undefined without a run. */
export async function readOpenGate(run: RunFolder | undefined): Promise<string | undefined> {
  const snapshot = run && (await findSnapshot(run));
  return snapshot && describeOpenGate(snapshot.state);
}

/** The gate as the message that names it first carries it, in the tag in which a compaction carries it on. */
export function formatOpenGate(gate: string): string {
  return `<open_gate>\n${gate}\n</open_gate>`;
}
