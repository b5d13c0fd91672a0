/** The folders of runs, people's sessions and batches: journal, artifacts, transcripts, spending, and other whole files. */
import { readdir, readFile, mkdir, rm } from 'node:fs/promises';
import { dirname, join, isAbsolute, resolve } from 'node:path';
import { HarnessError, usageError } from '../../errors.ts';
import { getOrCreate } from '../../get-or-create.ts';
import type { Clock, RunFolder, SessionFolder, SessionStore, Spending } from '../../ports/run-store.ts';
import { atomicWrite, createExclusive, syncFolder } from '../../disk/atomic-write.ts';
import { openSharedFiles } from '../../disk/shared-files.ts';
import { confinePath, makeFolders, refuseLinks } from '../../disk/confine.ts';
import { decodeText } from '../../disk/decode-text.ts';
import { onDisk, valueOnErrno } from '../../disk/disk-fault.ts';
import type { MirroredNumbers } from '../../disk/numbered-files.ts';
import { openFileArtifacts } from './file-artifacts.ts';
import { openFileJournal, openShapedJournal } from './file-journal.ts';
import { openFileSpending } from './file-spending.ts';
import { openFileTranscripts } from './file-transcripts.ts';
import { type FoundRun, isRunId } from './find-runs.ts';
import { SessionBody, SessionEvent } from '../../run/session-event.ts';
import type { BatchStore } from '../../ports/batches.ts';

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
  return usageError(`${path} cannot be written as a file: ${top}/ has its own door.`, { details: { path } });
}

export const SESSION_SHAPE = { event: SessionEvent, body: SessionBody };

/** Sessions on disk: `sessions/<id>/` of a project, each a folder like a run's. */
export function openFileSessionStore(project: string, options: { clock: Clock; worker: string }): SessionStore {
  const root = join(project, 'sessions');
  const at = (id: string): SessionFolder => {
    const dir = join(root, id);
    const { scenario: _none, ...folder } = openRunFolder({ id, scenario: 'session', dir }, options);
    return { ...folder, journal: openShapedJournal(dir, SESSION_SHAPE, options) };
  };
  const ids = async (): Promise<string[]> => {
    const items = await valueOnErrno('ENOENT', [], readdir(root, { withFileTypes: true }));
    const names = items.filter((item) => item.isDirectory() && isRunId(item.name)).map(({ name }) => name);
    return names.toSorted().toReversed();
  };
  const claim = async (id: string): Promise<boolean> => {
    await mkdir(root, { recursive: true });
    if ((await valueOnErrno('EEXIST', 'taken' as const, mkdir(join(root, id)))) === 'taken') return false;
    for (const name of ['workspace', 'uploads']) await mkdir(join(root, id, name));
    await syncFolder(root);
    return true;
  };
  return {
    ...createSessionPlaces({ claim, ids, open: async (id) => at(id) }),
    list: () => onDisk('Listing the sessions', async () => (await ids()).map(at)),
  };
}

type SessionPlaces = {
  /** Contract: false when the id is taken. */
  claim: (id: string) => Promise<boolean>;
  ids: () => Promise<string[]>;
  open: (id: string) => Promise<SessionFolder>;
};

/** Creates and finds sessions, wherever they are. Contract: `usage` for what cannot name one. */
export function createSessionPlaces({ claim, ids, open }: SessionPlaces): Pick<SessionStore, 'create' | 'find'> {
  return {
    create: (id) =>
      onDisk(`Creating session ${id}`, async () => {
        if (!isRunId(id)) throw usageError(`${JSON.stringify(id)} cannot name a session.`);
        if (!(await claim(id))) throw usageError(`A session ${id} exists already: tandem session --resume ${id}.`);
        return open(id);
      }),
    find: (name) =>
      onDisk(`Looking for session ${name}`, async () => {
        const found = pickSession(name, await ids());
        return found === undefined ? undefined : open(found);
      }),
  };
}

/** The one that is named so, or begins so. */
function pickSession(name: string, ids: readonly string[]): string | undefined {
  const found = ids.includes(name) ? [name] : ids.filter((id) => name !== '' && id.startsWith(name));
  if (found.length < 2) return found[0];
  throw new HarnessError('not_found', `${name} could be ${found.slice(0, 10).join(', ')}: name one by its whole id.`);
}

/** Batches of a project in folders: `batches/<id>.json`, and `batches/<id>/` with the money that its runs share. */
export function openFileBatches(project: string): BatchStore {
  const all = join(project, 'batches');
  const file = (id: string): string => join(all, `${id}.json`);
  const ledgers = new Map<string, Spending>();
  return {
    ids: async () => {
      const names = await onDisk('Listing the batches', () => valueOnErrno('ENOENT', [], readdir(all)));
      return names.flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : [])).toSorted();
    },
    read: (id) => onDisk(`Reading batch ${id}`, () => valueOnErrno('ENOENT', undefined, readFile(file(id), 'utf8'))),
    write: (id, text) =>
      onDisk(`Writing batch ${id}`, async () => {
        await mkdir(join(all, id), { recursive: true });
        await atomicWrite(file(id), text);
      }),
    remove: (id) =>
      onDisk(`Removing batch ${id}`, async () => {
        await rm(file(id), { force: true });
        await rm(join(all, id), { recursive: true, force: true });
        ledgers.delete(id);
      }),
    spending: async (id) => getOrCreate(ledgers, id, () => openFileSpending(join(all, id))),
    dirOf: async ({ dir }) => (isAbsolute(dir) ? dir : resolve(project, dir)),
  };
}
