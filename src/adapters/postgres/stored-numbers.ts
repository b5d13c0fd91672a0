/** Numbered files as rows: inserting a row is the compare-and-swap, and the files of the working copy follow it. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { MirroredNumbers } from '../../disk/numbered-files.ts';
import { followNumbers } from '../files/mirrored-numbered-files.ts';
import type { Statements } from './database.ts';
import { writeLocal } from './local-write.ts';

/** Inserts nothing when the number is taken or the one before it is missing; returns our own row when repeated. */
const INSERT = `
  WITH own AS (
    INSERT INTO $S.line (run, book, seq, body, writer)
    SELECT $1, $2, $3::int, $4, $5::uuid
    WHERE $3::int = 0 OR EXISTS (SELECT 1 FROM $S.line WHERE run = $1 AND book = $2 AND seq = $3::int - 1)
    ON CONFLICT DO NOTHING RETURNING seq),
  counted AS (
    UPDATE $S.run SET length = $3::int + 1, born = COALESCE(born, $6)
    WHERE id = $1 AND $2 = 'events' AND EXISTS (SELECT 1 FROM own))
  SELECT seq FROM own
  UNION ALL SELECT seq FROM $S.line WHERE run = $1 AND book = $2 AND seq = $3::int AND writer = $5::uuid`;

export function openStoredNumbers(
  { ask }: Pick<Statements, 'ask'>,
  { run, book, dir, isRun = true }: { run: string; book: 'events' | 'spend'; dir: string; isRun?: boolean },
): MirroredNumbers {
  return followNumbers(join(dir, book), {
    from: (seq) =>
      ask('SELECT seq, body FROM $S.line WHERE run = $1 AND book = $2 AND seq >= $3 ORDER BY seq', [run, book, seq]),
    append: async (seq, body) => {
      const born = isRun && book === 'events' && seq === 0 ? (JSON.parse(body) as { ts: string }).ts : null;
      return (await ask(INSERT, [run, book, seq, body, randomUUID(), born])).length > 0;
    },
    write: writeLocal,
  });
}
