/** Every run that was handed over is asked for its next step: this alone recovers from a lost queue or a killed worker. */
import { isHandedOver, type WakeDeps } from './worker-wake.ts';
import { openRunIndex, type SeenRun } from './worker-index.ts';

export type Reconciler = {
  /** Wakes every run that a worker could move on; resolves with their ids. Never two passes at a time. */
  pass(): Promise<string[]>;
};

export function createReconciler(deps: WakeDeps): Reconciler {
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

async function wakeIfLive({ id, dir, lane }: SeenRun, { store, queue }: WakeDeps): Promise<boolean> {
  if (lane === undefined || !(await isHandedOver(await store.open(dir)))) return false;
  await queue.wake({ run: id, lane });
  return true;
}
