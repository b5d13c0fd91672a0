/** Removes bytes of earlier file versions that nothing names any more, where no attempt is under way. */
import type { Database } from './database.ts';

/** A run that is being imported has no first event yet; a session never has one in this table. */
const EXISTING_RUN = `(run.born IS NOT NULL OR starts_with(run.id, 'session/'))`;
/** An attempt may reference bytes in its own lists. */
const UNREFERENCED = `
  NOT EXISTS (SELECT 1 FROM $S.file WHERE file.run = piece.run AND file.digest = piece.digest)
  AND NOT EXISTS (SELECT 1 FROM $S.attempt WHERE attempt.run = piece.run)`;
const FIND_UNREFERENCED = `
  SELECT piece.run, sum(octet_length(piece.body))::float8 AS bytes FROM $S.piece JOIN $S.run ON run.id = piece.run
  WHERE ${EXISTING_RUN} AND ($1::text IS NULL OR piece.run = $1) AND ${UNREFERENCED} GROUP BY piece.run ORDER BY piece.run`;

/** Returns how many bytes of each run or session are removed, or would be. `only` limits it to one run. */
export async function sweepPieces(
  { ask, together }: Pick<Database, 'ask' | 'together'>,
  { only, dryRun = false }: { only?: string | undefined; dryRun?: boolean | undefined },
): Promise<{ run: string; bytes: number }[]> {
  const found = await ask<{ run: string; bytes: number }>(FIND_UNREFERENCED, [only ?? null]);
  if (!dryRun)
    for (const { run } of found)
      await together(async (within) => {
        // A sender of files checks under the same lock whether their bytes are stored.
        await within('SELECT 1 FROM $S.run WHERE id = $1 FOR UPDATE', [run]);
        await within(`DELETE FROM $S.piece WHERE run = $1 AND ${UNREFERENCED}`, [run]);
      });
  return found;
}
