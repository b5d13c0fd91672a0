/** Bytes of earlier versions of files, which nothing names any more: taken out of the store where nobody is at work on a step. */
import type { Database } from './database.ts';

/** What is being copied into the store has no first event yet; a session never has one here. */
const THERE = `(run.born IS NOT NULL OR starts_with(run.id, 'session/'))`;
/** An attempt may hold bytes in lists of its own. */
const LEFT = `
  NOT EXISTS (SELECT 1 FROM $S.file WHERE file.run = piece.run AND file.digest = piece.digest)
  AND NOT EXISTS (SELECT 1 FROM $S.attempt WHERE attempt.run = piece.run)`;
const FIND = `
  SELECT piece.run, sum(octet_length(piece.body))::float8 AS bytes FROM $S.piece JOIN $S.run ON run.id = piece.run
  WHERE ${THERE} AND ($1::text IS NULL OR piece.run = $1) AND ${LEFT} GROUP BY piece.run ORDER BY piece.run`;

/** How many bytes of each run, or session, are taken away, or would be. `only`: of one run. */
export async function sweepPieces(
  { ask, together }: Pick<Database, 'ask' | 'together'>,
  { only, dryRun = false }: { only?: string | undefined; dryRun?: boolean | undefined },
): Promise<{ run: string; bytes: number }[]> {
  const found = await ask<{ run: string; bytes: number }>(FIND, [only ?? null]);
  if (!dryRun)
    for (const { run } of found)
      await together(async (within) => {
        // Who sends files looks under the same lock whether their bytes are there.
        await within('SELECT 1 FROM $S.run WHERE id = $1 FOR UPDATE', [run]);
        await within(`DELETE FROM $S.piece WHERE run = $1 AND ${LEFT}`, [run]);
      });
  return found;
}
