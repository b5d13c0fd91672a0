/** Opens a run that may not be there. */
import { isHarnessError } from '../errors.ts';
import type { RunFolder, RunStore } from '../ports/run-store.ts';

/** Undefined for a run that has not been created yet, or is gone. */
export async function findRun(store: RunStore, name: string): Promise<RunFolder | undefined> {
  return store.open(name).catch((error: unknown) => {
    if (isHarnessError(error, 'not_found')) return undefined;
    throw error;
  });
}
