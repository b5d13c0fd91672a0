/** The files of a run in the store and in the working copy: changes are sent and fetched by digest. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import { MANIFEST } from '../../disk/manifest.ts';
import { createSerialQueue } from '../../disk/serial-queue.ts';
import { sha256 } from '../../disk/sha256.ts';
import type { Query, Statements } from './database.ts';
import {
  findChanges,
  WRITTEN_ONCE,
  removedFiles,
  type Change,
  type KnownFile,
  type WorkingCopy,
} from './changed-files.ts';
import {
  checkPaths,
  listFiles,
  groupBySize,
  isLineFile,
  joinLines,
  singleChunk,
  writeLocal,
} from './working-copy-files.ts';
import { readFileStamp } from '../files/file-journal.ts';
import { nextRevision, putRows, type SentFile } from './file-rows.ts';
import {
  areStored,
  damagedFileError,
  digestOfFile,
  isSmall,
  loadFile,
  loadSmall,
  storeFile,
  storeSmall,
} from './stored-pieces.ts';

type StoredFileRow = { path: string; digest: string | null; bytes: number; rev: number };
type FolderCommit = { target: string; attempt: string; place: () => Promise<unknown> };
type RunCopy = Statements & WorkingCopy & { run: string; rev: number };

export type StoredFiles = {
  /** Makes the working copy equal to the store. An unsent local change is joined (lines) or given up. */
  pull: () => Promise<void>;
  /** Fetches one file; the others stay as they are. */
  pullOne: (path: string) => Promise<void>;
  /** Sends local changes; `only` is one path. Contract: durable in the store when resolved. */
  push: (only?: string) => Promise<void>;
  /** Commits a folder atomically; `place` moves it into place. Afterwards the working copy has what the store has: this folder, another's or none. */
  commit: (target: string, attempt: string, place: () => Promise<unknown>) => Promise<void>;
  /** Puts the bytes of a folder into the store without naming them in the run: readers with the list can fetch them. */
  send: (folder: string) => Promise<SentFile[]>;
  fetch: (folder: string, files: readonly SentFile[]) => Promise<void>;
};

export function openStoredFiles({ ask, together }: Statements, run: string, dir: string): StoredFiles {
  const inTurn = createSerialQueue();
  const copy: RunCopy = { ask, together, run, dir, known: new Map(), rev: 0 };
  return {
    pull: () => inTurn(() => pullChanges(copy)),
    pullOne: (path) => inTurn(() => pullOne(copy, path)),
    push: (only) => inTurn(() => pushChanges(copy, only)),
    commit: (target, attempt, place) => inTurn(() => commitFolder(copy, { target, attempt, place })),
    send: async (folder) => {
      const apart = { ...copy, dir: folder, known: new Map<string, KnownFile>() };
      const { changes } = await findChanges(apart, undefined);
      return (await sendChanges(apart, changes)).map(({ path, digest, bytes }) => ({ path, digest, bytes }));
    },
    fetch: (folder, files) => fetchFiles({ ...copy, dir: folder, known: new Map<string, KnownFile>() }, files),
  };
}

async function pullChanges(copy: RunCopy): Promise<void> {
  const { ask, run, dir, known } = copy;
  const text = 'SELECT path, digest, bytes::float8 AS bytes, rev FROM $S.file WHERE run = $1 AND rev > $2 ORDER BY rev';
  const rows = await ask<StoredFileRow>(text, [run, copy.rev]);
  checkPaths(run, rows);
  const rev = Math.max(copy.rev, ...rows.map((row) => row.rev));
  const news = rows.filter((row) => row.digest !== known.get(row.path)?.digest);
  for (const { path, digest } of news) {
    if (digest !== null) continue;
    await rm(join(dir, path), { force: true });
    known.delete(path);
  }
  const wanted = news.flatMap((row) => (row.digest === null ? [] : [{ ...row, digest: row.digest }]));
  const lines = await Promise.all(
    wanted.filter(({ path }) => isLineFile(path)).map(({ path }) => findUnsentLines(copy, path)),
  );
  const isSwept = await fetchFiles(copy, wanted).then(
    () => false,
    async (error: unknown) => {
      const later = await ask('SELECT 1 FROM $S.file WHERE run = $1 AND rev > $2 LIMIT 1', [run, rev]);
      if (later.length === 0) throw error;
      return true;
    },
  );
  for (const own of lines) if (own !== undefined) await joinLines(join(dir, own.path), own.text);
  // The file was rewritten since its row was read: its old bytes may be swept, so its current ones are fetched.
  if (isSwept) return pullChanges(copy);
  copy.rev = rev;
}

const DIGEST_OF = 'SELECT digest FROM $S.file WHERE run = $1 AND path = $2';

async function pullOne(copy: RunCopy, path: string): Promise<void> {
  const { ask, run, known } = copy;
  const rows = await ask<SentFile>(
    'SELECT path, digest, bytes::float8 AS bytes FROM $S.file WHERE run = $1 AND path = $2 AND digest IS NOT NULL',
    [run, path],
  );
  if (rows.every(({ digest }) => digest === known.get(path)?.digest)) return;
  await fetchFiles(copy, rows).catch(async (error: unknown) => {
    const [before, [now]] = [rows[0]?.digest, await ask<{ digest: string | null }>(DIGEST_OF, [run, path])];
    if (now?.digest === before) throw error;
    await pullOne(copy, path);
  });
}

/** Returns lines that were appended here and not sent yet. */
async function findUnsentLines(
  { dir, known }: RunCopy,
  path: string,
): Promise<{ path: string; text: string } | undefined> {
  const stamp = await readFileStamp(join(dir, path));
  if (stamp === undefined || stamp === known.get(path)?.stamp) return undefined;
  return { path, text: await readFile(join(dir, path), 'utf8') };
}

async function fetchFiles({ ask, run, dir, known }: RunCopy, rows: readonly SentFile[]): Promise<void> {
  checkPaths(run, rows);
  for (const group of groupBySize(rows)) {
    const wanted = group.flatMap(({ bytes, digest }) => (isSmall(bytes) ? [digest] : []));
    const small = await loadSmall(ask, run, wanted);
    for (const row of group) {
      const bytes = small.get(row.digest);
      if (isSmall(row.bytes) && (bytes === undefined || sha256(bytes) !== row.digest))
        throw damagedFileError(run, row.path, 'is not whole');
      await writeLocal(join(dir, row.path), bytes === undefined ? loadFile(ask, run, row) : singleChunk(bytes));
      known.set(row.path, { digest: row.digest, stamp: await readFileStamp(join(dir, row.path)) });
    }
  }
}

/** Joins lines that another process has appended with ours. Of a write-once file the other's version stays; else the last writer wins. */
async function pushChanges(copy: RunCopy, only: string | undefined): Promise<void> {
  const { together, run, known } = copy;
  for (;;) {
    const found = await findChanges(copy, only);
    const removed = only === undefined ? await removedFiles(copy, found.paths) : [];
    if (found.changes.length + removed.length === 0) return;
    const changes = await sendChanges(copy, found.changes);
    const isDone = await together(async (within) => {
      const rev = await nextRevision(within, run);
      if (await isOvertaken(within, copy, changes)) return false;
      // A file that is back at an earlier version may need bytes that were swept since they were sent.
      const digests = changes.map(({ digest }) => digest);
      if (!(await areStored(within, run, digests))) return false;
      await putRows(within, { run, rev, changes, removed });
      return true;
    });
    if (!isDone) {
      await pullChanges(copy);
      continue;
    }
    recordSent(copy, changes);
    for (const path of removed) known.delete(path);
    return;
  }
}

/** Returns what was sent: a small file that changed meanwhile with its current bytes, and no file that has vanished. */
async function sendChanges({ ask, run, dir }: RunCopy, changes: readonly Change[]): Promise<Change[]> {
  const sent: Change[] = [];
  for (const group of groupBySize(changes)) {
    const small: Buffer[] = [];
    for (const change of group) {
      const path = join(dir, change.path);
      const bytes = isSmall(change.bytes) ? await valueOnErrno('ENOENT', undefined, readFile(path)) : undefined;
      if (bytes !== undefined) {
        small.push(bytes);
        sent.push({ ...change, digest: sha256(bytes), bytes: bytes.length });
      } else if (!isSmall(change.bytes)) {
        await storeFile(ask, run, { path, digest: change.digest });
        sent.push(change);
      }
    }
    if (small.length > 0) await storeSmall(ask, run, small);
  }
  return sent;
}

/** No reader of this process sees the folder before the store has it, and it is removed again when the store refuses it. */
async function commitFolder(copy: RunCopy, { target, attempt, place }: FolderCommit): Promise<void> {
  const { dir, known } = copy;
  await pullChanges(copy);
  if (known.has(`${target}/${MANIFEST}`)) return;
  let isSent = false;
  try {
    await place();
    isSent = await sendFolder(copy, target, attempt);
  } finally {
    if (!isSent) await rm(join(dir, target), { recursive: true, force: true });
  }
  if (!isSent) await pullChanges(copy);
}

/** Contract: atomic; false when another folder is committed at the target, or the attempt is lost. */
async function sendFolder(copy: RunCopy, target: string, attempt: string): Promise<boolean> {
  const { together, run, dir } = copy;
  const manifest = `${target}/${MANIFEST}`;
  const found: Change[] = [];
  for (const path of await listFiles(dir, target)) {
    const full = join(dir, path);
    found.push({ path, ...(await digestOfFile(full)), stamp: (await readFileStamp(full)) ?? '' });
  }
  const changes = await sendChanges(copy, found);
  const mine = changes.find(({ path }) => path === manifest)?.digest;
  const isSent = await together(async (within) => {
    const rev = await nextRevision(within, run);
    const [there] = await within<{ digest: string }>(`${DIGEST_OF} AND digest IS NOT NULL`, [run, manifest]);
    if (there !== undefined) return there.digest === mine;
    const live = await within('SELECT 1 FROM $S.attempt WHERE run = $1 AND name = $2 FOR UPDATE', [run, attempt]);
    if (live.length === 0) return false;
    await putRows(within, { run, rev, changes, removed: [] });
    return true;
  });
  if (isSent) recordSent(copy, changes);
  return isSent;
}

function recordSent({ known }: RunCopy, changes: readonly Change[]): void {
  for (const { path, digest, stamp } of changes) known.set(path, { digest, stamp });
}

/** True when ours would replace lines that another process has appended, or a file that is written once. */
async function isOvertaken(ask: Query, { run, known }: RunCopy, changes: readonly Change[]): Promise<boolean> {
  const ours = changes.filter(({ path }) => isLineFile(path) || WRITTEN_ONCE.test(path));
  if (ours.length === 0) return false;
  const select = 'SELECT path, digest FROM $S.file WHERE run = $1 AND path = ANY($2::text[])';
  const rows = await ask<Pick<StoredFileRow, 'path' | 'digest'>>(select, [run, ours.map(({ path }) => path)]);
  const sent = new Map(ours.map(({ path, digest }) => [path, digest]));
  return rows.some(({ path, digest }) => digest !== (known.get(path)?.digest ?? null) && digest !== sent.get(path));
}
