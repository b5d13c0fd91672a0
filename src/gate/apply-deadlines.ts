/** Applies the deadlines of waiting gates: reminders and expiry become events in the journal. */
import { isHarnessError } from '../errors.ts';
import { findDueAction, type GateTimes } from './rules/deadlines.ts';
import { transact } from '../run-folder/snapshot.ts';
import type { ReadDeps, RunFolder, Clock } from '../ports/run-store.ts';
import type { EventBody } from '../run/event.ts';
import type { IndexedRun } from '../run-folder/run-index.ts';
import type { RunState } from '../run/state.ts';

const CLOCK = 'worker:clock';

/**
 * Reads only those of `runs`, as last seen, whose deadline has come, and resolves with what it did. A run that cannot
 * be read, or that has changed in the meantime, is skipped.
 */
export async function applyGateDeadlines(
  runs: readonly IndexedRun[],
  times: GateTimes,
  deps: ReadDeps,
): Promise<string[]> {
  const done: string[] = [];
  const nowMs = deps.clock.now().getTime();
  for (const run of runs) {
    if (run.gate === undefined || !isDue(run.gate, times, nowMs)) continue;
    try {
      done.push(...(await applyDeadline(deps.store.at(run), times, deps)));
    } catch (error) {
      if (!isHarnessError(error)) throw error;
    }
  }
  return done;
}

function isDue(
  { openedAt, reminders, heldMs = 0 }: NonNullable<IndexedRun['gate']>,
  times: GateTimes,
  nowMs: number,
): boolean {
  return findDueAction({ openedAt, reminders, heldMs }, times, nowMs) !== undefined;
}

async function applyDeadline(run: RunFolder, times: GateTimes, { clock, progress }: ReadDeps): Promise<string[]> {
  const done: string[] = [];
  for (;;) {
    const { before, event } = await transact(run, ({ state }) => dueEvent(state, times, clock), CLOCK);
    const { state } = before;
    if (event === undefined || state.status !== 'awaiting_approval') return done;
    const { id: gate, digest } = state.gate;
    const isOver = event.body.type === 'gate.expired';
    done.push(`${run.id} ${gate} ${isOver ? 'expire' : 'remind'}`);
    if (isOver) progress({ type: 'gate', gate, outcome: 'expired', actor: CLOCK, comment: '', digest });
  }
}

function dueEvent(state: RunState, times: GateTimes, clock: Clock): EventBody | undefined {
  if (state.status !== 'awaiting_approval') return undefined;
  const due = findDueAction(state.gate, times, clock.now().getTime());
  return due && { type: due.kind === 'expire' ? 'gate.expired' : 'gate.reminded', gate: state.gate.id };
}
