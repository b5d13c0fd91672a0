/** The ledger behind a money cap: what was reserved, settled and released, one numbered file for each. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import type { SpendRecord } from '../../ports/run-store.ts';
import { Usage } from '../../transcript/message.ts';
import { createExclusive, sweepTemporary } from './atomic-write.ts';
import { makeFolders } from './confine.ts';
import { unless } from './disk-fault.ts';
import { numberedName, readNumbered } from './numbered-files.ts';
import { parseFile } from './parse-file.ts';

const version = z.literal(1);
const usd = z.number().nonnegative();

const SpendLine = z.discriminatedUnion('type', [
  z.strictObject({ version, type: z.literal('reserved'), call: z.string(), agent: z.string(), model: z.string(), usd }),
  z.strictObject({ version, type: z.literal('settled'), call: z.string(), usd, usage: Usage }),
  z.strictObject({ version, type: z.literal('released'), call: z.string() }),
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

export function openSpendLedger(runDir: string): SpendLedger {
  const folder = join(runDir, 'spend');
  const records = new Map<string, SpendRecord>();
  let length = 0;
  let swept = false;

  // Lines never change once written, so only what is new is read.
  const catchUp = async (): Promise<SpendRecords> => {
    const next = await unless('ENOENT', undefined, stat(join(folder, numberedName(length))));
    if (next === undefined && length > 0) return records;
    for (const file of await readNumbered(folder, length)) {
      apply(records, parseFile(SpendLine, file.text, `spend/${numberedName(file.number)}`));
      length += 1;
    }
    return records;
  };

  return {
    records: catchUp,
    write: async (choose) => {
      await makeFolders(runDir, folder);
      if (!swept) await sweepTemporary(folder);
      swept = true;
      for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
        const line = choose(await catchUp());
        if (line === undefined) return;
        if (!(await createExclusive(join(folder, numberedName(length)), `${JSON.stringify(line)}\n`))) continue;
        apply(records, line);
        length += 1;
        return;
      }
      const message = `${folder} is written to by too many workers at once: ${MAX_TRIES} tries failed. Lower the concurrency.`;
      throw new HarnessError('infrastructure', message, { retryable: true, details: { folder } });
    },
  };
}

/** What is settled stays settled: a later line about the same call changes nothing. */
function apply(records: Map<string, SpendRecord>, line: SpendLine): void {
  const earlier = records.get(line.call);
  if (earlier?.usd !== undefined) return;
  if (line.type === 'released') records.delete(line.call);
  else records.set(line.call, recordAfter(line, earlier));
}

function recordAfter(line: Exclude<SpendLine, { type: 'released' }>, earlier: SpendRecord | undefined): SpendRecord {
  const { call } = line;
  if (line.type === 'reserved') return { call, agent: line.agent, model: line.model, reservedUsd: line.usd };
  // A settlement without its reservation is still money: it must count, whoever it was for.
  const known = earlier ?? { call, agent: 'unknown', model: 'unknown', reservedUsd: 0 };
  return { ...known, usd: line.usd, usage: line.usage };
}
