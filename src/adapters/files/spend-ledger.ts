/** The ledger behind a money cap: what was reserved, settled and released, in numbered files of one line or more. */
import { join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import type { SpendRecord } from '../../ports/run-store.ts';
import { batched, type Pending } from '../../disk/batched.ts';
import { createExclusive, sweepTemporary } from '../../disk/atomic-write.ts';
import { makeFolders } from '../../disk/confine.ts';
import { numberedName, type SharedNumbers } from '../../disk/numbered-files.ts';
import { parseFile } from '../../disk/parse-file.ts';
import { serially } from '../../disk/serially.ts';
import { packLedger, packStamp, readLedgerFiles } from './spend-pack.ts';
import { openBooks, SpendLine, type SpendBooks } from './spend-books.ts';

const MAX_TRIES = 1000;

/** More lines than that in one file would make others wait too long for their turn. */
const MOST_IN_ONE = 100;

/** The lines that follow from the books; none, one or some. Called again when another line came first; may throw. */
type Choose = (books: SpendBooks) => readonly SpendLine[];

export type SpendLedger = {
  /** One record a call, in the order of their first lines. */
  records: () => Promise<SpendRecord[]>;
  /** Contract: no other line comes between the books that `choose` saw and its line. */
  write: (choose: Choose) => Promise<void>;
  /** The books as they are now. */
  read: () => Promise<SpendBooks>;
  /** Puts the files of a ledger that is hardly written to any more into one. */
  pack: () => Promise<void>;
};

/** `shared`: the files are a copy, and the truth is elsewhere. */
export function openSpendLedger(runDir: string, shared?: SharedNumbers): SpendLedger {
  const folder = join(runDir, 'spend');
  let books = openBooks();
  let pack: string | undefined;
  const inTurn = serially();
  let length = 0;
  let isPrepared = false;
  /** Somebody else wrote to it while it was open here. */
  let hasOthers = false;
  const create = shared?.create ?? createExclusive;

  /** Lines never change once written, so only new files are read. */
  const catchUp = async (): Promise<void> => {
    await shared?.refresh();
    const packed = await packStamp(folder);
    // What was read in numbered files is now in the pack, with what others wrote before.
    if (pack !== packed) [books, length] = [openBooks(), 0];
    const files = await readLedgerFiles(folder, length).catch(async (error: unknown) => {
      if (packed === (await packStamp(folder))) throw error;
    });
    if (files === undefined) return catchUp();
    for (const { name, text } of files.texts)
      for (const line of text.trimEnd().split('\n')) books.add(parseFile(SpendLine, line, name));
    hasOthers ||= length > 0 && files.length > length;
    [length, pack] = [files.length, packed];
  };

  const prepare = async (): Promise<void> => {
    if (isPrepared) return;
    await makeFolders(runDir, folder);
    await sweepTemporary(folder);
    isPrepared = true;
  };

  const commit = async (batch: readonly Pending<Choose>[]): Promise<void> => {
    await prepare();
    // Alone, a file that somebody else has written meanwhile is found out by the write itself; among others, looking first
    // is cheaper than a write that fails.
    // A pack takes the files away by whose names a write would find out.
    let isRead = length === 0 || hasOthers || pack !== (await packStamp(folder));
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      if (isRead) await catchUp();
      const { lines, chose, settle } = chooseAll(batch, books);
      // A ledger that was not read to its end must neither refuse a call nor drop an entry.
      const isSure = isRead || chose.every((number) => number > 0);
      isRead = true;
      if (!isSure) continue;
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      if (lines.length > 0 && !(await create(join(folder, numberedName(length)), text))) continue;
      lines.forEach(books.add);
      length += lines.length > 0 ? 1 : 0;
      settle();
      return;
    }
    const message = `${folder} is written to by too many workers at once: ${MAX_TRIES} tries failed. Lower the concurrency.`;
    throw new HarnessError('infrastructure', message, { retryable: true, details: { folder } });
  };

  return {
    records: () => inTurn(() => catchUp().then(() => books.records())),
    read: () => inTurn(() => catchUp().then(() => books)),
    // Rows need no packing.
    pack: () => inTurn(async () => (shared === undefined ? packLedger(folder) : undefined)),
    write: batched<Choose>(MOST_IN_ONE, (batch) => inTurn(() => commit(batch))),
  };
}

/** `chose`: how many lines each wanted; one that was refused wanted none. */
type Chosen = { lines: SpendLine[]; chose: number[]; settle: () => void };

/** Each decides on the books with the lines of those before it; one that throws is refused alone. */
function chooseAll(batch: readonly Pending<Choose>[], books: SpendBooks): Chosen {
  const draft = openBooks(books);
  const lines: SpendLine[] = [];
  const chose: number[] = [];
  const outcomes: (() => void)[] = [];
  for (const { item: choose, resolve, reject } of batch) {
    try {
      const chosen = choose(draft);
      chosen.forEach(draft.add);
      lines.push(...chosen);
      chose.push(chosen.length);
      outcomes.push(resolve);
    } catch (error) {
      chose.push(0);
      outcomes.push(() => reject(error));
    }
  }
  return { lines, chose, settle: () => outcomes.forEach((outcome) => outcome()) };
}
