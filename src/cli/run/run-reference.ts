/** Formats a run's reference in printed commands: its id, or its path where the id means another folder or none. */
import { relative } from 'node:path';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { isHarnessError } from '../../errors.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Io } from '../io.ts';

/** Guarantees that `tandem <command> <reference>`, pasted in the same folder, acts on this run and on no other. */
export async function formatRunReference(
  run: Pick<RunFolder, 'id' | 'dir'>,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<string> {
  const found = await openStore(findHome(cwd))
    .store.open(run.id)
    .catch((error: unknown) => {
      if (isHarnessError(error, 'not_found')) return undefined;
      throw error;
    });
  if (found?.dir === run.dir) return run.id;
  const path = relative(cwd, run.dir);
  return quoteIfNeeded(path.includes('/') ? path : `./${path}`);
}

function quoteIfNeeded(word: string): string {
  return /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
