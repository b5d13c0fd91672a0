/** The name under which a run is carried on: its folder, because two folders may hold a run of the same id. */
import { isHarnessError, usageError } from '../../errors.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Deps } from '../deps.ts';

/** Contract: `usage` when workers, who find a run by its id, would take another folder. */
export async function nameToDrive(run: RunFolder, { store, handedOver }: Deps): Promise<string> {
  if (!handedOver) return run.dir;
  // There is one of each id.
  if (store.server !== undefined) return run.id;
  const found = await store.open(run.id).catch((error: unknown) => {
    if (isHarnessError(error, 'not_found')) return undefined;
    throw error;
  });
  if (found?.dir === run.dir) return run.id;
  const other = found === undefined ? 'would not find it' : `would take ${found.dir}`;
  throw usageError(
    `Workers find a run by its id, and ${other} instead of ${run.dir}. ` +
      'Go on in this process: TANDEM_QUEUE= tandem resume <path>. Or move the folder into the scenarios/<name>/runs/ of this project.',
    { details: { run: run.id, dir: run.dir } },
  );
}
