/** What the clock does to gates that wait: reminders and expiry become events, like everything else that happens. */
import { isHarnessError } from '../errors.ts';
import { dueOf, type GateTimes } from './rules/deadlines.ts';
import { appendEvent } from '../run-folder/append-event.ts';
import type { ReadDeps } from '../ports/read-deps.ts';
import { fold } from '../run/fold.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { EventBody } from '../run/event.ts';
import type { IndexedRun } from '../run-folder/run-index.ts';

const CLOCK = 'worker:clock';

/**
 * Of `runs`, as they were seen last, only those are read whose time has come. Resolves with what it did; a run that cannot
 * be read, or that somebody else moved on meanwhile, is left alone.
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
    const state = fold(await run.journal.read());
    if (state.status !== 'awaiting_approval') return done;
    const due = dueOf(state.gate, times, clock.now().getTime());
    if (due === undefined) return done;
    const gate = state.gate.id;
    const body: EventBody = due.kind === 'expire' ? { type: 'gate.expired', gate } : { type: 'gate.reminded', gate };
    await appendEvent(run, state, body, CLOCK);
    done.push(`${run.id} ${gate} ${due.kind}`);
    if (due.kind === 'expire') {
      progress({ type: 'gate', gate, outcome: 'expired', actor: CLOCK, comment: '', digest: state.gate.digest });
    }
  }
}
