/** Every run that was handed over is asked for its next step: this alone recovers from a lost queue or a killed worker. */
import type { NextLane } from '../ports/job-queue.ts';
import type { RunStore } from '../ports/run-store.ts';
import { openRunIndex, type IndexedRun } from '../run-folder/run-index.ts';
import { readHandOverMark, type WakeDeps } from '../run-folder/hand-over.ts';

export type Reconciler = {
  /** Wakes every run that a worker could move on; resolves with their ids. Never two passes at a time. */
  pass(): Promise<string[]>;
};

/** `serve` is told of every lane in which a run waits, before the run is woken. */
export type ReconcileDeps = WakeDeps & { serve?: (next: NextLane) => void };

export function createReconciler(deps: ReconcileDeps): Reconciler {
  const index = openRunIndex(deps.store);
  const told = new Set<string>();
  let current: Promise<string[]> | undefined;

  const pass = async (): Promise<string[]> => {
    const { runs, unreadable } = await index.look();
    for (const { id, message } of unreadable) tell(id, message);
    const woken: string[] = [];
    for (const run of runs) if (await wakeIfLive(run, deps)) woken.push(run.id);
    return woken;
  };

  /** A run that cannot be read is left alone, and told of once; the others go on. */
  const tell = (id: string, message: string): void => {
    if (told.has(id)) return;
    told.add(id);
    deps.progress({ type: 'state', status: 'notice', detail: `run ${id}: ${message}` });
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

/** Every lane in which a run of this project waits or is worked on. */
export async function lanesInUse(store: RunStore): Promise<NextLane[]> {
  const { runs } = await openRunIndex(store).look();
  const lanes = await Promise.all(runs.map((run) => laneOfRun(run, store)));
  return lanes.flatMap((next) => next ?? []);
}

/** Undefined for a run that rests, or that one process carries on. */
async function laneOfRun({ dir, lane }: IndexedRun, store: RunStore): Promise<NextLane | undefined> {
  const mark = lane === undefined ? undefined : await readHandOverMark(await store.open(dir));
  if (lane === undefined || mark === undefined) return undefined;
  const model = mark.models?.[lane];
  return model === undefined ? { lane } : { lane, model };
}

async function wakeIfLive(run: IndexedRun, { store, queue, serve }: ReconcileDeps): Promise<boolean> {
  const next = await laneOfRun(run, store);
  if (next === undefined) return false;
  serve?.(next);
  await queue.wake({ run: run.id, ...next });
  return true;
}
