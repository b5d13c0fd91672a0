/** Numbered files as rows: the insert of a row is the compare-and-swap, and the files of the working copy follow it. */
import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import type { SharedNumbers } from '../../disk/numbered-files.ts';
import { numberedName } from '../../disk/numbered-files.ts';
import { serially } from '../../disk/serially.ts';
import type { Statements } from './database.ts';
import { writeLocal } from './local-write.ts';

/** Files that are written at the same time. */
const AT_ONCE = 16;

/** Nothing where the number is taken, or the one before it is missing; our own row when this is asked twice. */
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
  { run, book, dir }: { run: string; book: 'events' | 'spend'; dir: string },
): SharedNumbers {
  const folder = join(dir, book);
  const inTurn = serially();
  /** The first number that is not known to be in the working copy. */
  let next = 0;

  const write = (seq: number, body: string): Promise<void> => writeLocal(join(folder, numberedName(seq)), body);

  const writeAll = async (rows: readonly { seq: number; body: string }[]): Promise<void> => {
    const left = rows.values();
    const writeOn = async (): Promise<void> => {
      for (const { seq, body } of left) await write(seq, body);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, writeOn));
  };

  const lastOf = async (): Promise<number> => {
    const [row] = await ask<{ last: number | null }>(
      'SELECT max(seq) AS last FROM $S.line WHERE run = $1 AND book = $2',
      [run, book],
    );
    return row?.last ?? -1;
  };

  return {
    refresh: () =>
      inTurn(async () => {
        const rows = await ask<{ seq: number; body: string }>(
          'SELECT seq, body FROM $S.line WHERE run = $1 AND book = $2 AND seq >= $3 ORDER BY seq',
          [run, book, next],
        );
        // The first time nobody has read yet; afterwards in order, so that what is read in between has no gap.
        if (next === 0) await writeAll(rows);
        else for (const { seq, body } of rows) await write(seq, body);
        next = Math.max(next, ...rows.slice(-1).map(({ seq }) => seq + 1));
      }),
    create: (path, text) =>
      inTurn(async () => {
        const seq = Number.parseInt(basename(path), 10);
        const born = book === 'events' && seq === 0 ? (JSON.parse(text) as { ts: string }).ts : null;
        const mine = await ask(INSERT, [run, book, seq, text, randomUUID(), born]);
        if (mine.length === 0) return refuseForgetful(next, await lastOf());
        await write(seq, text);
        if (seq === next) next += 1;
        return true;
      }),
  };
}

/** Restored from a backup, or failed over to a standby that had not heard of all: what this process has read is not there. */
function refuseForgetful(next: number, last: number): false {
  if (last >= next - 1) return false;
  const message = `The store has lost what this process has read (${last + 1} of ${next}). Nothing is written; end this process and begin again: the run goes on from what the store has.`;
  throw new HarnessError('infrastructure', message, { retryable: true });
}
