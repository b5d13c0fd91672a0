/** Numbered files as rows: inserting a row is the compare-and-swap, and the files of the working copy follow it. */
import { randomUUID } from 'node:crypto';
import { join, basename } from 'node:path';
import pLimit from 'p-limit';
import { type MirroredNumbers, toNumberedName } from '../../disk/numbered-files.ts';
import type { Statements } from './database.ts';
import { writeLocal } from './working-copy-files.ts';
import { HarnessError } from '../../errors.ts';
import { createSerialQueue } from '../../disk/serial-queue.ts';

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
  });
}

type NumberedLine = { seq: number; body: string };

/** The storage of the lines. */
type NumberedLines = {
  /** Contract: every line from that number on, in order. */
  from: (seq: number) => Promise<readonly NumberedLine[]>;
  /** Contract: durable when it resolves; false, with nothing written, when the number is taken or its predecessor is missing. */
  append: (seq: number, body: string) => Promise<boolean>;
};

/** The most files that are written at the same time. */
const AT_ONCE = 16;

/** Numbered files that mirror lines stored elsewhere: a line is stored there first, and then written to its file. */
function followNumbers(folder: string, lines: NumberedLines): MirroredNumbers {
  const inTurn = createSerialQueue();
  /** The first number that may be missing in the folder. */
  let next = 0;

  const write = ({ seq, body }: NumberedLine): Promise<void> => writeLocal(join(folder, toNumberedName(seq)), body);

  const catchUp = async (): Promise<void> => {
    const rows = await lines.from(next);
    // The first files have no readers yet; later ones are written in order, so that a reader never sees a gap.
    if (next === 0) await pLimit(AT_ONCE).map(rows, write);
    else for (const row of rows) await write(row);
    next = Math.max(next, ...rows.slice(-1).map(({ seq }) => seq + 1));
  };

  /** The storage was restored from a backup or failed over to a stale standby: lines that this process has read are missing. */
  const refuseForgetful = async (): Promise<false> => {
    if (next === 0 || (await lines.from(next - 1)).length > 0) return false;
    const { length } = await lines.from(0);
    const message = `The store has lost what this process has read (${length} of ${next}). Nothing is written; end this process and begin again: the run goes on from what the store has.`;
    throw new HarnessError('infrastructure', message, { retryable: true });
  };

  return {
    refresh: () => inTurn(catchUp),
    create: (path, body) =>
      inTurn(async () => {
        const seq = Number.parseInt(basename(path), 10);
        if (!(await lines.append(seq, body))) return refuseForgetful();
        await write({ seq, body });
        if (seq === next) next += 1;
        return true;
      }),
  };
}
