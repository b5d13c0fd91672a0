/** Numbered files that mirror lines stored elsewhere: a line is stored there first, and then written to its file. */
import { basename, join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import { toNumberedName, type MirroredNumbers } from '../../disk/numbered-files.ts';
import { createSerialQueue } from '../../disk/serial-queue.ts';

export type NumberedLine = { seq: number; body: string };

/** The storage of the lines. */
export type NumberedLines = {
  /** Contract: every line from that number on, in order. */
  from: (seq: number) => Promise<readonly NumberedLine[]>;
  /** Contract: durable when it resolves; false, with nothing written, when the number is taken or its predecessor is missing. */
  append: (seq: number, body: string) => Promise<boolean>;
  /** Takes in the lines that the folder has before its first file is written; absent: they are ignored. */
  adopt?: (lines: readonly NumberedLine[]) => Promise<void>;
  write: (path: string, body: string) => Promise<void>;
};

/** The most files that are written at the same time. */
const AT_ONCE = 16;

export function followNumbers(folder: string, lines: NumberedLines): MirroredNumbers {
  const inTurn = createSerialQueue();
  /** The first number that may be missing in the folder. */
  let next = 0;
  let isAdopted = lines.adopt === undefined;

  const write = ({ seq, body }: NumberedLine): Promise<void> => lines.write(join(folder, toNumberedName(seq)), body);

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
    // The first files have no readers yet; later ones are written in order, so that a reader never sees a gap.
    if (next === 0) await writeAll(rows);
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
        if (!isAdopted) await catchUp();
        const seq = Number.parseInt(basename(path), 10);
        if (!(await lines.append(seq, body))) return refuseForgetful();
        await write({ seq, body });
        if (seq === next) next += 1;
        return true;
      }),
  };
}
