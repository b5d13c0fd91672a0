/** The rows that say which bytes each file of a run has, written together under the next number of its changes. */
import type { Ask } from './database.ts';
import { damaged } from './stored-pieces.ts';

/** `path` is relative to its folder. */
export type SentFile = { path: string; digest: string; bytes: number };

type Rows = { run: string; rev: number; changes: readonly SentFile[]; removed: readonly string[] };

const UPSERT = `
  INSERT INTO $S.file (run, path, digest, bytes, rev)
  SELECT $1, path, digest, bytes, $2 FROM unnest($3::text[], $4::text[], $5::bigint[]) AS f (path, digest, bytes)
  ON CONFLICT (run, path) DO UPDATE SET digest = excluded.digest, bytes = excluded.bytes, rev = excluded.rev`;

export async function putRows(ask: Ask, { run, rev, changes, removed }: Rows): Promise<void> {
  await ask(UPSERT, [
    ...[run, rev],
    [...changes.map(({ path }) => path), ...removed],
    [...changes.map(({ digest }) => digest), ...removed.map(() => null)],
    [...changes.map(({ bytes }) => bytes), ...removed.map(() => 0)],
  ]);
}

/** Holds the run's row to the end of the transaction, so that readers never miss a smaller number that comes later. */
export async function nextRev(ask: Ask, run: string): Promise<number> {
  const [row] = await ask<{ rev: number }>('UPDATE $S.run SET rev = rev + 1 WHERE id = $1 RETURNING rev', [run]);
  if (row === undefined) throw damaged(run, 'its row', 'was removed');
  return row.rev;
}
