/** The ledger behind a money cap: what was reserved, settled and released, in numbered files of one line or more. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { SpendRecord } from '../../ports/run-store.ts';
import { Usage } from '../../transcript/message.ts';
import { batched, type Pending } from '../../disk/batched.ts';
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

/** More lines than that in one file would make others wait too long for their turn. */
const MOST_IN_ONE = 100;

/** The calls so far, whichever worker made them, and what they come to; a released call has no record. */
export type SpendBooks = {
  readonly of: (call: string) => SpendRecord | undefined;
  readonly spentUsd: number;
  readonly reservedUsd: number;
};

/** The line that follows from the books; undefined for none. Called again when another line came first; may throw. */
type Choose = (books: SpendBooks) => SpendLine | undefined;

export type SpendLedger = {
  /** One record a call, in the order of their first lines. */
  records: () => Promise<SpendRecord[]>;
  /** Contract: no other line comes between the books that `choose` saw and its line. */
  write: (choose: Choose) => Promise<void>;
};

export function openSpendLedger(runDir: string): SpendLedger {
  const folder = join(runDir, 'spend');
  const books = openBooks();
  const inTurn = serially();
  let length = 0;
  let isPrepared = false;

  /** Lines never change once written, so only new files are read. */
  const catchUp = async (): Promise<void> => {
    const next = await valueOnErrno('ENOENT', undefined, stat(join(folder, numberedName(length))));
    if (next === undefined && length > 0) return;
    for (const file of await readNumbered(folder, length)) {
      const name = `spend/${numberedName(file.number)}`;
      for (const line of file.text.trimEnd().split('\n')) books.add(parseFile(SpendLine, line, name));
      length += 1;
    }
  };

  const prepare = async (): Promise<void> => {
    if (isPrepared) return;
    await makeFolders(runDir, folder);
    await sweepTemporary(folder);
    isPrepared = true;
  };

  const commit = async (batch: readonly Pending<Choose>[]): Promise<void> => {
    await prepare();
    // A file that somebody else has written meanwhile is found out by the write itself.
    let isRead = length === 0;
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      if (isRead) await catchUp();
      const { lines, settle } = chooseAll(batch, books);
      // A ledger that was not read to its end must neither refuse a call nor drop an entry.
      const isSure = isRead || lines.length === batch.length;
      isRead = true;
      if (!isSure) continue;
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      if (lines.length > 0 && !(await createExclusive(join(folder, numberedName(length)), text))) continue;
      lines.forEach(books.add);
      length += lines.length > 0 ? 1 : 0;
      settle();
      return;
    }
    const message = `${folder} is written to by too many workers at once: ${MAX_TRIES} tries failed. Lower the concurrency.`;
    throw new HarnessError('infrastructure', message, { retryable: true, details: { folder } });
  };

  return {
    records: () =>
      inTurn(async () => {
        await catchUp();
        return books.records();
      }),
    write: batched<Choose>(MOST_IN_ONE, (batch) => inTurn(() => commit(batch))),
  };
}

/** Each decides on the books with the lines of those before it; one that throws is refused alone. */
function chooseAll(batch: readonly Pending<Choose>[], books: SpendBooks): { lines: SpendLine[]; settle: () => void } {
  const draft = openBooks(books);
  const lines: SpendLine[] = [];
  const outcomes: (() => void)[] = [];
  for (const { item: choose, resolve, reject } of batch) {
    try {
      const line = choose(draft);
      if (line !== undefined) {
        draft.add(line);
        lines.push(line);
      }
      outcomes.push(resolve);
    } catch (error) {
      outcomes.push(() => reject(error));
    }
  }
  return { lines, settle: () => outcomes.forEach((outcome) => outcome()) };
}

type OpenBooks = SpendBooks & { add: (line: SpendLine) => void; records: () => SpendRecord[] };

/** Running totals: nothing is summed again. With `below`, what is added stays apart from it. */
function openBooks(below?: SpendBooks): OpenBooks {
  const own = new Map<string, SpendRecord | undefined>();
  const total = { spentUsd: below?.spentUsd ?? 0, reservedUsd: below?.reservedUsd ?? 0 };
  const of = (call: string): SpendRecord | undefined => (own.has(call) ? own.get(call) : below?.of(call));
  const count = (record: SpendRecord | undefined, sign: 1 | -1): void => {
    if (record?.usd === undefined) total.reservedUsd += sign * (record?.reservedUsd ?? 0);
    else total.spentUsd += sign * record.usd;
  };
  return {
    of,
    get spentUsd() {
      return total.spentUsd;
    },
    get reservedUsd() {
      return total.reservedUsd;
    },
    add: (line) => {
      const before = of(line.call);
      const after = recordAfter(line, before);
      if (after === before) return;
      count(before, -1);
      count(after, 1);
      if (after === undefined && below === undefined) own.delete(line.call);
      else own.set(line.call, after);
    },
    records: () => [...own.values()].filter((record) => record !== undefined),
  };
}

/** What is settled stays settled; what was written off is only a guess, until a settlement replaces it. */
function recordAfter(line: SpendLine, earlier: SpendRecord | undefined): SpendRecord | undefined {
  const { call } = line;
  if (earlier?.usd !== undefined && !(earlier.writtenOff === true && line.type === 'settled')) return earlier;
  if (line.type === 'released') return undefined;
  if (line.type === 'reserved') return { call, agent: line.agent, model: line.model, reservedUsd: line.usd };
  // A settlement without its reservation is still money: it must count.
  const { writtenOff: _guess, ...known } = earlier ?? { call, agent: 'unknown', model: 'unknown', reservedUsd: 0 };
  if (line.type === 'written_off') return { ...known, usd: line.usd, writtenOff: true };
  return omitUndefined({ ...known, usd: line.usd, usage: line.usage, ms: line.ms });
}
