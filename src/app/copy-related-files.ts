/** What is copied with a run: people's labels of the scenario, and the record of sent notices. */
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { sharedFilesIn } from '../disk/shared-files.ts';
import { BOOK_OF_RUN, bookFor, readBook } from '../gate/notices/notice-book.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { SharedFiles } from '../ports/shared-files.ts';
import { mergeLabels } from '../run-folder/label-journal.ts';

/** Batches at the provider: a cancel that is given again finds them. */
const ECONOMY = 'economy';

/** In a folder they are files of the run, in a store separate rows. */
export function isRelated(path: string): boolean {
  return path === BOOK_OF_RUN || path.startsWith(`${ECONOMY}/`);
}

/** By path, as the copy is to have them. What is still to be sent stays with the home that the run is copied from. */
export async function relatedFiles({ shared }: Pick<RunFolder, 'shared'>): Promise<Map<string, string>> {
  const waves = [...(await shared.list(ECONOMY))].map(([path, text]) => [`${ECONOMY}/${path}`, text] as const);
  const book = await readBook({ files: shared, path: BOOK_OF_RUN });
  const left = book?.map((one) =>
    one.state === 'waiting'
      ? { ...one, state: 'dropped' as const, why: 'it is sent where this run was copied from' }
      : one,
  );
  return new Map([...waves, ...(left === undefined ? [] : [[BOOK_OF_RUN, bookFor(left)] as const])]);
}

/** Labels of a scenario are joined: none is lost, none is there twice. Resolves with how many were new. */
export async function carryLabels(run: RunFolder, into: SharedFiles): Promise<number> {
  const runs = dirname(run.dir);
  const own = run.around?.labels;
  // A run folder outside of a scenario has no labels.
  if (own === undefined && basename(runs) !== 'runs') return 0;
  return mergeLabels(own ?? sharedFilesIn(dirname(runs), { linked: true }), into);
}

export async function labelsIn(project: string, scenario: string): Promise<SharedFiles> {
  const dir = join(resolve(project), 'scenarios', scenario);
  await mkdir(dir, { recursive: true });
  return sharedFilesIn(dir, { linked: true });
}
