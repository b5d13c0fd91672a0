/** The files of a run in the store and in the working copy: what changed is sent and fetched by digest. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import { MANIFEST } from '../../disk/manifest.ts';
import { serially } from '../../disk/serially.ts';
import { sha256 } from '../../disk/sha256.ts';
import type { Ask, Statements } from './database.ts';
import { changed, ONCE, removedFiles, type Change, type Known, type WorkingCopy } from './changed-files.ts';
import { checkPlaces, filesOf, grouped, isLines, joinLines, one, stampOf } from './copy-files.ts';
import { nextRev, putRows, type SentFile } from './file-rows.ts';
import { writeLocal } from './local-write.ts';
import {
  areStored,
  damaged,
  digestOfFile,
  isSmall,
  loadFile,
  loadSmall,
  storeFile,
  storeSmall,
} from './stored-pieces.ts';

type Row = { path: string; digest: string | null; bytes: number; rev: number };
type Commit = { target: string; attempt: string; place: () => Promise<unknown> };
type Copy = Statements & WorkingCopy & { run: string; rev: number };

export type StoredFiles = {
  /** Makes the working copy what the store holds. A change of ours that was not sent yet is joined (lines) or given up. */
  pull: () => Promise<void>;
  /** One file; the others stay as they are. */
  pullOne: (path: string) => Promise<void>;
  /** Sends what changed here; `only` is one path. Contract: durable in the store when resolved. */
  push: (only?: string) => Promise<void>;
  /** A committed folder, whole or not at all; `place` puts it there. Afterwards the working copy has what the store has: this one, another's or none. */
  commit: (target: string, attempt: string, place: () => Promise<unknown>) => Promise<void>;
  /** Puts the bytes of a folder into the store, under no name of the run's: whoever has the list can fetch them. */
  send: (folder: string) => Promise<SentFile[]>;
  fetch: (folder: string, files: readonly SentFile[]) => Promise<void>;
};

export function openStoredFiles({ ask, together }: Statements, run: string, dir: string): StoredFiles {
  const inTurn = serially();
  const copy: Copy = { ask, together, run, dir, known: new Map(), rev: 0 };
  return {
    pull: () => inTurn(() => pull(copy)),
    pullOne: (path) => inTurn(() => pullOne(copy, path)),
    push: (only) => inTurn(() => push(copy, only)),
    commit: (target, attempt, place) => inTurn(() => commit(copy, { target, attempt, place })),
    send: async (folder) => {
      const apart = { ...copy, dir: folder, known: new Map<string, Known>() };
      const { changes } = await changed(apart, undefined);
      return (await send(apart, changes)).map(({ path, digest, bytes }) => ({ path, digest, bytes }));
    },
    fetch: (folder, files) => fetchFiles({ ...copy, dir: folder, known: new Map<string, Known>() }, files),
  };
}

async function pull(copy: Copy): Promise<void> {
  const { ask, run, dir, known } = copy;
  const rows = await ask<Row>(
    'SELECT path, digest, bytes::float8 AS bytes, rev FROM $S.file WHERE run = $1 AND rev > $2 ORDER BY rev',
    [run, copy.rev],
  );
  checkPlaces(run, rows);
  const rev = Math.max(copy.rev, ...rows.map((row) => row.rev));
  const news = rows.filter((row) => row.digest !== known.get(row.path)?.digest);
  for (const { path, digest } of news) {
    if (digest !== null) continue;
    await rm(join(dir, path), { force: true });
    known.delete(path);
  }
  const wanted = news.flatMap((row) => (row.digest === null ? [] : [{ ...row, digest: row.digest }]));
  const lines = await Promise.all(wanted.filter(({ path }) => isLines(path)).map(({ path }) => unsent(copy, path)));
  const isSwept = await fetchFiles(copy, wanted).then(
    () => false,
    async (error: unknown) => {
      const later = await ask('SELECT 1 FROM $S.file WHERE run = $1 AND rev > $2 LIMIT 1', [run, rev]);
      if (later.length === 0) throw error;
      return true;
    },
  );
  for (const own of lines) if (own !== undefined) await joinLines(join(dir, own.path), own.text);
  // Written anew since its row was read: the bytes of then may be gone, and those of now are fetched.
  if (isSwept) return pull(copy);
  copy.rev = rev;
}

const DIGEST_OF = 'SELECT digest FROM $S.file WHERE run = $1 AND path = $2';

async function pullOne(copy: Copy, path: string): Promise<void> {
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

/** What was appended here and not sent. */
async function unsent({ dir, known }: Copy, path: string): Promise<{ path: string; text: string } | undefined> {
  const stamp = await stampOf(join(dir, path));
  if (stamp === undefined || stamp === known.get(path)?.stamp) return undefined;
  return { path, text: await readFile(join(dir, path), 'utf8') };
}

async function fetchFiles({ ask, run, dir, known }: Copy, rows: readonly SentFile[]): Promise<void> {
  checkPlaces(run, rows);
  for (const group of grouped(rows)) {
    const wanted = group.flatMap(({ bytes, digest }) => (isSmall(bytes) ? [digest] : []));
    const small = await loadSmall(ask, run, wanted);
    for (const row of group) {
      const bytes = small.get(row.digest);
      if (isSmall(row.bytes) && (bytes === undefined || sha256(bytes) !== row.digest))
        throw damaged(run, row.path, 'is not whole');
      await writeLocal(join(dir, row.path), bytes === undefined ? loadFile(ask, run, row) : one(bytes));
      known.set(row.path, { digest: row.digest, stamp: await stampOf(join(dir, row.path)) });
    }
  }
}

/** Lines that another has appended meanwhile are joined with ours; of what is written once his counts; any other file is the last writer's. */
async function push(copy: Copy, only: string | undefined): Promise<void> {
  const { together, run, known } = copy;
  for (;;) {
    const found = await changed(copy, only);
    const removed = only === undefined ? await removedFiles(copy, found.paths) : [];
    if (found.changes.length + removed.length === 0) return;
    const changes = await send(copy, found.changes);
    const isDone = await together(async (within) => {
      const rev = await nextRev(within, run);
      if (await isOvertaken(within, copy, changes)) return false;
      // Bytes of an earlier version that this is again may have been swept since they were sent.
      const digests = changes.map(({ digest }) => digest);
      if (!(await areStored(within, run, digests))) return false;
      await putRows(within, { run, rev, changes, removed });
      return true;
    });
    if (!isDone) {
      await pull(copy);
      continue;
    }
    note(copy, changes);
    for (const path of removed) known.delete(path);
    return;
  }
}

/** What was sent: of a small file that changed meanwhile its bytes now, and none of one that is gone. */
async function send({ ask, run, dir }: Copy, changes: readonly Change[]): Promise<Change[]> {
  const sent: Change[] = [];
  for (const group of grouped(changes)) {
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

/** Nobody of this process sees the folder before the store has it, and it is gone again where the store has not taken it. */
async function commit(copy: Copy, { target, attempt, place }: Commit): Promise<void> {
  const { dir, known } = copy;
  await pull(copy);
  if (known.has(`${target}/${MANIFEST}`)) return;
  let isSent = false;
  try {
    await place();
    isSent = await sendFolder(copy, target, attempt);
  } finally {
    if (!isSent) await rm(join(dir, target), { recursive: true, force: true });
  }
  if (!isSent) await pull(copy);
}

/** Contract: whole or not at all; false when the place is taken by another, or the attempt is lost. */
async function sendFolder(copy: Copy, target: string, attempt: string): Promise<boolean> {
  const { together, run, dir } = copy;
  const manifest = `${target}/${MANIFEST}`;
  const found: Change[] = [];
  for (const path of await filesOf(dir, target)) {
    const full = join(dir, path);
    found.push({ path, ...(await digestOfFile(full)), stamp: (await stampOf(full)) ?? '' });
  }
  const changes = await send(copy, found);
  const mine = changes.find(({ path }) => path === manifest)?.digest;
  const isSent = await together(async (within) => {
    const rev = await nextRev(within, run);
    const [there] = await within<{ digest: string }>(
      'SELECT digest FROM $S.file WHERE run = $1 AND path = $2 AND digest IS NOT NULL',
      [run, manifest],
    );
    if (there !== undefined) return there.digest === mine;
    const live = await within('SELECT 1 FROM $S.attempt WHERE run = $1 AND name = $2 FOR UPDATE', [run, attempt]);
    if (live.length === 0) return false;
    await putRows(within, { run, rev, changes, removed: [] });
    return true;
  });
  if (isSent) note(copy, changes);
  return isSent;
}

function note({ known }: Copy, changes: readonly Change[]): void {
  for (const { path, digest, stamp } of changes) known.set(path, { digest, stamp });
}

/** Ours would replace what another has appended, or what is written once. */
async function isOvertaken(ask: Ask, { run, known }: Copy, changes: readonly Change[]): Promise<boolean> {
  const ours = changes.filter(({ path }) => isLines(path) || ONCE.test(path));
  if (ours.length === 0) return false;
  const rows = await ask<{ path: string; digest: string | null }>(
    'SELECT path, digest FROM $S.file WHERE run = $1 AND path = ANY($2::text[])',
    [run, ours.map(({ path }) => path)],
  );
  const sent = new Map(ours.map(({ path, digest }) => [path, digest]));
  return rows.some(({ path, digest }) => digest !== (known.get(path)?.digest ?? null) && digest !== sent.get(path));
}
