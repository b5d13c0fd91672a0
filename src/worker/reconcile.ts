/** Wakes every run that has a next step here: this alone recovers from a lost queue or a killed worker. */
import { omitUndefined } from '../omit-undefined.ts';
import type { NextLane } from '../ports/job-queue.ts';
import { getRunIndex, type IndexedRun } from '../run-folder/run-index.ts';
import { checkHandedBack, readHandOverMark, type WakeDeps } from '../run-folder/hand-over.ts';

export type Reconciler = {
  /** Wakes every run that a worker could continue, and resolves with their ids. Passes never overlap. */
  pass(): Promise<string[]>;
};

export type ReconcileDeps = WakeDeps & {
  /** False in a process that continues its own runs and leaves handed-over runs to workers. Default true. */
  handedOver?: boolean;
  /** Called for each lane in which a run waits, before the run is woken. */
  serve?: (next: NextLane) => void;
};

/** Wakes each run that can continue here and resolves with their ids. A run that cannot be read is left alone. */
export function reconcile(deps: ReconcileDeps): Promise<string[]> {
  return createReconciler(deps).pass();
}

export function createReconciler(deps: ReconcileDeps): Reconciler {
  const index = getRunIndex(deps.store);
  const reported = new Set<string>();
  const said = new Set<string>();
  let current: Promise<string[]> | undefined;

  const pass = async (): Promise<string[]> => {
    const { runs, unreadable } = await index.look();
    for (const { id, message } of unreadable) report(id, message);
    const woken: string[] = [];
    for (const run of runs) {
      if (!(await wakeIfLive(run, deps))) continue;
      woken.push(run.id);
      await checkHandedBack(await deps.store.open(run.dir), deps, said);
    }
    return woken;
  };

  /** Reports once for each run, so that the other runs continue. */
  const report = (id: string, message: string): void => {
    if (reported.has(id)) return;
    reported.add(id);
    deps.progress({ type: 'state', status: 'notice', detail: `run ${id}: ${message}` });
  };

  return { pass: () => (current ??= pass().finally(() => (current = undefined))) };
}

/** Resolves with false when the run waits, has ended, or belongs to the other kind of process. */
async function wakeIfLive({ id, dir, lane }: IndexedRun, deps: ReconcileDeps): Promise<boolean> {
  if (lane === undefined) return false;
  const mark = await readHandOverMark(await deps.store.open(dir));
  if ((mark !== undefined) !== (deps.handedOver ?? true)) return false;
  const next: NextLane = omitUndefined({ lane, model: mark?.models?.[lane], turn: mark?.turn });
  deps.serve?.(next);
  await deps.queue.wake({ run: id, ...next });
  return true;
}
