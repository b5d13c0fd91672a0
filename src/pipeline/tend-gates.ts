/** What the clock does to gates that wait: reminders and expiry become events, like everything else that happens. */
import { isHarnessError } from '../errors.ts';
import { dueOf, type GateTimes } from '../gate/deadlines.ts';
import { appendEvent } from './append-event.ts';
import type { ReadDeps } from './deps.ts';
import { fold } from '../run/fold.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { EventBody } from '../run/event.ts';

const CLOCK = 'worker:clock';

/** Resolves with what it did. A run that cannot be read, or that somebody else moved on meanwhile, is left alone. */
export async function tendGates(deps: ReadDeps, times: GateTimes): Promise<string[]> {
  if (times.remindAfterHours.length === 0 && times.expireAfterHours === undefined) return [];
  const done: string[] = [];
  for (const { dir } of await deps.store.list()) {
    try {
      done.push(...(await tendOne(await deps.store.open(dir), times, deps)));
    } catch (error) {
      if (!isHarnessError(error)) throw error;
    }
  }
  return done;
}

async function tendOne(run: RunFolder, times: GateTimes, { clock, progress }: ReadDeps): Promise<string[]> {
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
