/** What the clock does to gates that wait: reminders and expiry become events, like everything else that happens. */
import { isHarnessError } from '../errors.ts';
import { dueOf, type GateTimes } from './rules/deadlines.ts';
import { transact } from '../run-folder/transact.ts';
import type { ReadDeps } from '../ports/read-deps.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { EventBody } from '../run/event.ts';
import type { IndexedRun } from '../run-folder/run-index.ts';
import type { Clock } from '../ports/clock.ts';
import type { RunState } from '../run/state.ts';

const CLOCK = 'worker:clock';

/**
 * Of `runs`, as they were seen last, only those are read whose time has come. Resolves with what it did; a run that cannot
 * be read, or that has moved on since then, is left alone.
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
  return dueOf({ openedAt, reminders, heldMs }, times, nowMs) !== undefined;
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
  const due = dueOf(state.gate, times, clock.now().getTime());
  return due && { type: due.kind === 'expire' ? 'gate.expired' : 'gate.reminded', gate: state.gate.id };
}
