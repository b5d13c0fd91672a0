/** Copies files that belong to a run but lie outside of it: people's labels, and the record of sent notices. */
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { openSharedFiles } from '../disk/shared-files.ts';
import { BOOK_OF_RUN, formatBook, readBook } from '../gate/notices/notice-book.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { SharedFiles } from '../ports/shared-files.ts';
import { mergeLabels } from '../run-folder/label-journal.ts';

/** The folder of batches at the provider, so that a repeated cancel finds them. */
const ECONOMY = 'economy';

/** These are files of a run folder, but separate rows in a store. */
export function isRelated(path: string): boolean {
  return path === BOOK_OF_RUN || path.startsWith(`${ECONOMY}/`);
}

/** Returns the files by their path in the copy. Notices still to be sent stay with the original run's home. */
export async function relatedFiles({ shared }: Pick<RunFolder, 'shared'>): Promise<Map<string, string>> {
  const waves = [...(await shared.list(ECONOMY))].map(([path, text]) => [`${ECONOMY}/${path}`, text] as const);
  const book = await readBook({ files: shared, path: BOOK_OF_RUN });
  const left = book?.map((one) =>
    one.state === 'waiting'
      ? { ...one, state: 'dropped' as const, why: 'it is sent where this run was copied from' }
      : one,
  );
  return new Map([...waves, ...(left === undefined ? [] : [[BOOK_OF_RUN, formatBook(left)] as const])]);
}

/** Merges the labels of a scenario, without losing or repeating any. Resolves with the number of new ones. */
export async function carryLabels(run: RunFolder, into: SharedFiles): Promise<number> {
  const runs = dirname(run.dir);
  const own = run.around?.labels;
  // A run folder outside of a scenario has no labels.
  if (own === undefined && basename(runs) !== 'runs') return 0;
  return mergeLabels(own ?? openSharedFiles(dirname(runs), { linked: true }), into);
}

export async function labelsIn(project: string, scenario: string): Promise<SharedFiles> {
  const dir = join(resolve(project), 'scenarios', scenario);
  await mkdir(dir, { recursive: true });
  return openSharedFiles(dir, { linked: true });
}
