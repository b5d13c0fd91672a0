/** The rows that say which bytes each file of a run has, written together under the next revision of the run. */
import type { Query } from './database.ts';
import { damagedFileError } from './stored-pieces.ts';

/** `path` is relative to the folder that is sent. */
export type SentFile = { path: string; digest: string; bytes: number };

type FileChanges = { run: string; rev: number; changes: readonly SentFile[]; removed: readonly string[] };

const UPSERT = `
  INSERT INTO $S.file (run, path, digest, bytes, rev)
  SELECT $1, path, digest, bytes, $2 FROM unnest($3::text[], $4::text[], $5::bigint[]) AS f (path, digest, bytes)
  ON CONFLICT (run, path) DO UPDATE SET digest = excluded.digest, bytes = excluded.bytes, rev = excluded.rev`;

export async function putRows(ask: Query, { run, rev, changes, removed }: FileChanges): Promise<void> {
  await ask(UPSERT, [
    ...[run, rev],
    [...changes.map(({ path }) => path), ...removed],
    [...changes.map(({ digest }) => digest), ...removed.map(() => null)],
    [...changes.map(({ bytes }) => bytes), ...removed.map(() => 0)],
  ]);
}

/** Locks the run's row until the transaction ends, so that readers never miss a smaller revision committed later. */
export async function nextRevision(ask: Query, run: string): Promise<number> {
  const [row] = await ask<{ rev: number }>('UPDATE $S.run SET rev = rev + 1 WHERE id = $1 RETURNING rev', [run]);
  if (row === undefined) throw damagedFileError(run, 'its row', 'was removed');
  return row.rev;
}
