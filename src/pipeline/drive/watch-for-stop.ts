/** While a step is made, its run's journal is looked at once a second: a cancel or a pause stops the step at once. */
import { HarnessError } from '../../errors.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { stepName } from '../../run/command.ts';
import { decide } from '../../run/decide.ts';
import type { RunState } from '../../run/state.ts';
import { readState } from '../../run-folder/snapshot.ts';

/** Half of the two seconds within which a cancel reaches a running call. */
const LOOK_MS = 1000;

export type Watch = {
  /** Also fires when the caller's signal does. */
  signal: AbortSignal;
  /** The run's new state, once this step is no longer its next one. */
  movedTo(): RunState | undefined;
  stop(): void;
};

/** `state` is what the step is made for. */
export function watchRun(
  run: RunFolder,
  state: RunState,
  { signal: outer, everyMs = LOOK_MS }: { signal: AbortSignal; everyMs?: number },
): Watch {
  const own = new AbortController();
  const mine = stepName(decide(state));
  let { length } = state;
  let moved: RunState | undefined;
  let looking = false;

  const look = async (): Promise<void> => {
    if (!(await run.journal.holds(length))) return;
    const now = await readState(run);
    length = now.length;
    if (stepName(decide(now)) === mine) return;
    moved = now;
    own.abort(new HarnessError('attempt_lost', `Run ${run.id} is ${now.status} now: this step stops.`));
  };
  const timer = setInterval(() => {
    if (looking || moved !== undefined) return;
    looking = true;
    look()
      // A broken journal is reported by the next append.
      .catch(() => undefined)
      .finally(() => {
        looking = false;
      });
  }, everyMs);
  timer.unref();

  return {
    signal: AbortSignal.any([own.signal, outer]),
    movedTo: () => moved,
    stop: () => clearInterval(timer),
  };
}
