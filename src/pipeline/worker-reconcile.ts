/** Every run that was handed over is asked for its next step: this alone recovers from a lost queue or a killed worker. */
import { isHarnessError } from '../errors.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { decide } from '../run/decide.ts';
import { fold } from '../run/fold.ts';
import { isHandedOver, laneOf, type WakeDeps } from './worker-wake.ts';

/** What is known of a run since the last look; a run that rests is read again only when its journal has grown. */
type Known = { length: number; rests: boolean; isOver: boolean };

export type Reconciler = {
  /** Wakes every run that a worker could move on; resolves with their ids. Never two passes at a time. */
  pass(): Promise<string[]>;
};

const AT_ONCE = 32;

export function createReconciler(deps: WakeDeps): Reconciler {
  const known = new Map<string, Known>();
  let current: Promise<string[]> | undefined;

  const look = async ({ dir, id }: { dir: string; id: string }): Promise<string | undefined> => {
    const before = known.get(dir);
    if (before?.isOver === true) return undefined;
    const run = await deps.store.open(dir);
    if (before?.rests === true && !(await run.journal.holds(before.length))) return undefined;
    if (before === undefined && !(await isHandedOver(run))) return undefined;
    const state = await stateOf(run, deps);
    if (state === undefined) return undefined;
    const lane = laneOf(decide(state));
    known.set(dir, { length: state.length, rests: lane === undefined, isOver: 'verdict' in state });
    if (lane === undefined) return undefined;
    await deps.queue.wake({ run: id, lane });
    return id;
  };

  const pass = async (): Promise<string[]> => {
    const runs = await deps.store.list();
    const woken: string[] = [];
    for (let start = 0; start < runs.length; start += AT_ONCE) {
      const found = await Promise.all(runs.slice(start, start + AT_ONCE).map(look));
      woken.push(...found.flatMap((id) => id ?? []));
    }
    return woken;
  };

  return {
    pass: () => {
      current ??= pass().finally(() => {
        current = undefined;
      });
      return current;
    },
  };
}

/** A run that cannot be read is left alone, and told of; the others go on. */
async function stateOf(run: RunFolder, { progress }: WakeDeps): Promise<ReturnType<typeof fold> | undefined> {
  try {
    return fold(await run.journal.read());
  } catch (error) {
    if (!isHarnessError(error)) throw error;
    progress({ type: 'state', status: 'notice', detail: `run ${run.id}: ${error.message}` });
    return undefined;
  }
}
