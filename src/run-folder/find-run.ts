/** Opens a run that may not be there. */
import { ignoreHarnessError } from '../errors.ts';
import type { RunFolder, RunStore } from '../ports/run-store.ts';

/** Undefined for a run that has not been created yet, or is gone. */
export async function findRun(store: RunStore, name: string): Promise<RunFolder | undefined> {
  return store.open(name).catch((error: unknown) => ignoreHarnessError(error, 'not_found'));
}
