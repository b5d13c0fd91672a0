/** The ledger behind a money cap: what was reserved, settled and released, in numbered files of one line or more. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import type { SpendRecord } from '../../ports/run-store.ts';
import { Usage } from '../../transcript/message.ts';
import { createExclusive, sweepTemporary } from '../../disk/atomic-write.ts';
import { makeFolders } from '../../disk/confine.ts';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import { numberedName, readNumbered } from '../../disk/numbered-files.ts';
import { parseFile } from '../../disk/parse-file.ts';
import { serially } from '../../disk/serially.ts';

const version = z.literal(1);
const usd = z.number().nonnegative();

const SpendLine = z.discriminatedUnion('type', [
  z.strictObject({ version, type: z.literal('reserved'), call: z.string(), agent: z.string(), model: z.string(), usd }),
  z.strictObject({
    version,
    type: z.literal('settled'),
    call: z.string(),
    usd,
    usage: Usage,
    ms: z.int().nonnegative().optional(),
  }),
  z.strictObject({ version, type: z.literal('released'), call: z.string() }),
  z.strictObject({ version, type: z.literal('written_off'), call: z.string(), usd }),
]);
type SpendLine = z.infer<typeof SpendLine>;

const MAX_TRIES = 1000;

/** One record a call, in the order of their first lines; released calls have none. */
export type SpendRecords = ReadonlyMap<string, SpendRecord>;

export type SpendLedger = {
  /** All calls so far, whichever worker made them. */
  records: () => Promise<SpendRecords>;
  /**
   * Writes the line that `choose` makes of the records so far, or nothing when it makes none. Contract: no other line
   * comes in between; `choose` is asked again when one does, and may throw.
   */
  write: (choose: (records: SpendRecords) => SpendLine | undefined) => Promise<void>;
};

type Waiting = PromiseWithResolvers<void> & { choose: (records: SpendRecords) => SpendLine | undefined };

/** More lines than that in one file would make others wait too long for their turn. */
const MOST_IN_ONE = 100;

export function openSpendLedger(runDir: string): SpendLedger {
  const folder = join(runDir, 'spend');
  const records = new Map<string, SpendRecord>();
  const waiting: Waiting[] = [];
  const inTurn = serially();
  let length = 0;
  let swept = false;
  let writing = false;

  // Lines never change once written, so only what is new is read.
  const catchUp = async (): Promise<SpendRecords> => {
    const next = await valueOnErrno('ENOENT', undefined, stat(join(folder, numberedName(length))));
    if (next === undefined && length > 0) return records;
    for (const file of await readNumbered(folder, length)) {
      const name = `spend/${numberedName(file.number)}`;
      for (const line of file.text.trimEnd().split('\n')) apply(records, parseFile(SpendLine, line, name));
      length += 1;
    }
    return records;
  };

  /** What several callers want at the same time goes to the disk together: the disk's pace is the limit here. */
  const commit = async (batch: readonly Waiting[]): Promise<void> => {
    await makeFolders(runDir, folder);
    if (!swept) await sweepTemporary(folder);
    swept = true;
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const { lines, settle } = chooseAll(batch, new Map(await catchUp()));
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      if (lines.length > 0 && !(await createExclusive(join(folder, numberedName(length)), text))) continue;
      for (const line of lines) apply(records, line);
      length += lines.length > 0 ? 1 : 0;
      settle();
      return;
    }
    const message = `${folder} is written to by too many workers at once: ${MAX_TRIES} tries failed. Lower the concurrency.`;
    throw new HarnessError('infrastructure', message, { retryable: true, details: { folder } });
  };

  const writeAll = async (): Promise<void> => {
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST_IN_ONE);
      await inTurn(() => commit(batch)).catch((error: unknown) => batch.forEach(({ reject }) => reject(error)));
    }
    writing = false;
  };

  return {
    records: () => inTurn(catchUp),
    write: (choose) => {
      const mine = { ...Promise.withResolvers<void>(), choose };
      waiting.push(mine);
      if (!writing) void writeAll();
      return mine.promise;
    },
  };
}

/** One after the other, each on what those before it have chosen; one that throws is refused alone. */
function chooseAll(
  batch: readonly Waiting[],
  records: Map<string, SpendRecord>,
): { lines: SpendLine[]; settle: () => void } {
  const lines: SpendLine[] = [];
  const outcomes: (() => void)[] = [];
  for (const { choose, resolve, reject } of batch) {
    try {
      const line = choose(records);
      if (line !== undefined) {
        apply(records, line);
        lines.push(line);
      }
      outcomes.push(resolve);
    } catch (error) {
      outcomes.push(() => reject(error));
    }
  }
  return { lines, settle: () => outcomes.forEach((tell) => tell()) };
}

/** What is settled stays settled; what was written off is only a guess, until somebody knows better. */
function apply(records: Map<string, SpendRecord>, line: SpendLine): void {
  const earlier = records.get(line.call);
  if (earlier?.usd !== undefined && !(earlier.writtenOff === true && line.type === 'settled')) return;
  if (line.type === 'released') records.delete(line.call);
  else records.set(line.call, recordAfter(line, earlier));
}

function recordAfter(line: Exclude<SpendLine, { type: 'released' }>, earlier: SpendRecord | undefined): SpendRecord {
  const { call } = line;
  if (line.type === 'reserved') return { call, agent: line.agent, model: line.model, reservedUsd: line.usd };
  // A settlement without its reservation is still money: it must count, whoever it was for.
  const { writtenOff: _guess, ...known } = earlier ?? { call, agent: 'unknown', model: 'unknown', reservedUsd: 0 };
  if (line.type === 'written_off') return { ...known, usd: line.usd, writtenOff: true };
  return { ...known, usd: line.usd, usage: line.usage, ...(line.ms === undefined ? {} : { ms: line.ms }) };
}
