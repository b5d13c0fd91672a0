/** One run's folder: journal, artifacts, transcripts, spending, and other whole files. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { atomicWrite, createExclusive } from '../../disk/atomic-write.ts';
import { confinePath, makeFolders, refuseLinks } from '../../disk/confine.ts';
import { decodeText } from '../../disk/decode-text.ts';
import { onDisk, valueOnErrno } from '../../disk/disk-fault.ts';
import { openSharedFiles } from '../../disk/shared-files.ts';
import type { MirroredNumbers } from '../../disk/numbered-files.ts';
import { openFileArtifacts } from './file-artifacts.ts';
import { openFileJournal } from './file-journal.ts';
import { openFileSpending } from './file-spending.ts';
import { openFileTranscripts } from './file-transcripts.ts';
import type { FoundRun } from './find-runs.ts';

/** Folders that only their own ports write, or that never change once committed. */
const GUARDED = new Set(['events', 'spend', 'transcripts', 'wip', 'design', 'execution_outputs', 'drafts', 'asking']);
/** A folder of files that are written once, because events refer to them by digest. */
const WRITE_ONCE = 'gates';

export type RunFolderOptions = {
  clock: Clock;
  worker: string;
  /** Set when the folder is a copy of a run that is stored elsewhere. */
  shared?: { events: MirroredNumbers; spend: MirroredNumbers };
};

export function openRunFolder({ id, scenario, dir }: FoundRun, options: RunFolderOptions): RunFolder {
  return {
    id,
    scenario,
    dir,
    journal: openFileJournal(dir, { clock: options.clock, shared: options.shared?.events }),
    artifacts: openFileArtifacts(dir, options.worker, { isCopy: options.shared !== undefined }),
    transcripts: openFileTranscripts(dir),
    spending: openFileSpending(dir, options.shared?.spend),
    shared: openSharedFiles(dir),
    write: (path, content) =>
      onDisk(`Writing ${path} of run ${id}`, async () => {
        const place = confinePath(dir, path);
        refuseGuarded(path);
        await refuseLinks(dir, place);
        await makeFolders(dir, dirname(place));
        await atomicWrite(place, content);
      }),
    writeOnce: (path, content) =>
      onDisk(`Writing ${path} of run ${id}`, async () => {
        const place = confinePath(dir, path);
        if (!path.startsWith(`${WRITE_ONCE}/`)) throw createGuardedError(path);
        await refuseLinks(dir, place);
        await makeFolders(dir, dirname(place));
        await createExclusive(place, content);
        return readFile(place, 'utf8');
      }),
    read: (path) =>
      onDisk(`Reading ${path} of run ${id}`, async () => {
        const place = confinePath(dir, path);
        await refuseLinks(dir, place);
        const bytes = await valueOnErrno('ENOENT', undefined, readFile(place));
        return bytes === undefined ? undefined : readAsText(bytes);
      }),
    list: (folder) =>
      onDisk(`Listing ${folder} of run ${id}`, async () => {
        const found = readdir(confinePath(dir, folder), { recursive: true, withFileTypes: true });
        const items = await valueOnErrno('ENOENT', [], found);
        return items
          .filter((item) => item.isFile())
          .map((item) => join(item.parentPath, item.name).slice(dir.length + 1));
      }),
  };
}

/** Our files are UTF-8, but the copy of a source is as its user saved it, in UTF-16 or GB18030 too. */
function readAsText(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return /[\0\uFFFD]/.test(text) ? (decodeText(bytes) ?? text) : text;
}

function refuseGuarded(path: string): void {
  const [top = ''] = path.split('/');
  if (GUARDED.has(top) || top === WRITE_ONCE) throw createGuardedError(path);
}

function createGuardedError(path: string): HarnessError {
  const [top] = path.split('/');
  return new HarnessError('usage', `${path} cannot be written as a file: ${top}/ has its own door.`, {
    details: { path },
  });
}
