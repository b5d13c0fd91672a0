/** Numbered files that follow lines which lie elsewhere: a line is there first, and then in its file. */
import { basename, join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import { numberedName, type SharedNumbers } from '../../disk/numbered-files.ts';
import { serially } from '../../disk/serially.ts';

export type NumberedLine = { seq: number; body: string };

/** Where the lines are. */
export type NumberedLines = {
  /** Contract: every line from that number on, in order. */
  from: (seq: number) => Promise<readonly NumberedLine[]>;
  /** Contract: durable when it resolves; false, and nothing written, where the number is taken or the one before it is missing. */
  append: (seq: number, body: string) => Promise<boolean>;
  /** What is in the folder already, before the first file is written; absent: nothing that counts. */
  adopt?: (lines: readonly NumberedLine[]) => Promise<void>;
  write: (path: string, body: string) => Promise<void>;
};

/** Files that are written at the same time. */
const AT_ONCE = 16;

export function followNumbers(folder: string, lines: NumberedLines): SharedNumbers {
  const inTurn = serially();
  /** The first number that is not known to be in the folder. */
  let next = 0;
  let isAdopted = lines.adopt === undefined;

  const write = ({ seq, body }: NumberedLine): Promise<void> => lines.write(join(folder, numberedName(seq)), body);

  const writeAll = async (rows: readonly NumberedLine[]): Promise<void> => {
    const left = rows.values();
    const writeOn = async (): Promise<void> => {
      for (const row of left) await write(row);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, writeOn));
  };

  const catchUp = async (): Promise<void> => {
    let rows = await lines.from(next);
    if (!isAdopted) {
      await lines.adopt?.(rows);
      isAdopted = true;
      rows = await lines.from(next);
    }
    // The first time nobody has read yet; afterwards in order, so that what is read in between has no gap.
    if (next === 0) await writeAll(rows);
    else for (const row of rows) await write(row);
    next = Math.max(next, ...rows.slice(-1).map(({ seq }) => seq + 1));
  };

  /** Restored from a backup, or failed over to a standby that had not heard of all: what this process has read is not there. */
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
        if (!isAdopted) await catchUp();
        const seq = Number.parseInt(basename(path), 10);
        if (!(await lines.append(seq, body))) return refuseForgetful();
        await write({ seq, body });
        if (seq === next) next += 1;
        return true;
      }),
  };
}
