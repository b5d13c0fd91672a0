/** The ledger behind a money cap: reserved, settled and released amounts, in numbered files of one or more lines. */
import { join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import type { SpendRecord } from '../../ports/run-store.ts';
import { createBatcher, type PendingItem, createSerialQueue } from '../../disk/serial-queue.ts';
import { createExclusive, sweepTemporaryFiles } from '../../disk/atomic-write.ts';
import { makeFolders } from '../../disk/confine.ts';
import { toNumberedName, type MirroredNumbers } from '../../disk/numbered-files.ts';
import { parseFile } from '../../disk/parse-file.ts';
import { packLedger, packStamp, readLedgerFiles } from './spend-pack.ts';
import { openBooks, SpendLine, type SpendBooks } from './spend-books.ts';

const MAX_TRIES = 1000;

/** The most lines in one file; more would make others wait too long for their turn. */
const MOST_IN_ONE = 100;

/** Returns the lines to add to the books, perhaps none. Called again when another line came first; may throw. */
type ChooseLines = (books: SpendBooks) => readonly SpendLine[];

export type SpendLedger = {
  /** Returns one record per call, in the order of their first lines. */
  records: () => Promise<SpendRecord[]>;
  /** Contract: no other line comes between the books that `choose` saw and its line. */
  write: (choose: ChooseLines) => Promise<void>;
  /** Returns the current books. */
  read: () => Promise<SpendBooks>;
  /** Packs the files of a ledger that is hardly ever written to any more into one. */
  pack: () => Promise<void>;
};

/** `shared`: the files are a copy of a ledger that is stored elsewhere. */
export function openSpendLedger(runDir: string, shared?: MirroredNumbers): SpendLedger {
  const folder = join(runDir, 'spend');
  let books = openBooks();
  let pack: string | undefined;
  const inTurn = createSerialQueue();
  let length = 0;
  let isPrepared = false;
  /** True once another process wrote to the ledger while it was open here. */
  let hasOthers = false;
  const create = shared?.create ?? createExclusive;

  /** Lines never change once written, so only new files are read. */
  const catchUp = async (): Promise<void> => {
    await shared?.refresh();
    const packed = await packStamp(folder);
    // Lines that were read from numbered files are now in the pack, after earlier lines of others.
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
    await sweepTemporaryFiles(folder);
    isPrepared = true;
  };

  const commit = async (batch: readonly PendingItem<ChooseLines>[]): Promise<void> => {
    await prepare();
    // A single writer learns of another's file when its own write fails; with several writers, reading first is cheaper
    // than failed writes. After a pack, the files that would make a write fail are gone, so a new pack is always read
    // first.
    let isRead = length === 0 || hasOthers || pack !== (await packStamp(folder));
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      if (isRead) await catchUp();
      const { lines, chose, settle } = chooseAll(batch, books);
      // Books that were not read to the end must neither refuse a call nor drop an entry.
      const isSure = isRead || chose.every((number) => number > 0);
      isRead = true;
      if (!isSure) continue;
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      if (lines.length > 0 && !(await create(join(folder, toNumberedName(length)), text))) continue;
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
    // Rows of a shared store need no packing.
    pack: () => inTurn(async () => (shared === undefined ? packLedger(folder) : undefined)),
    write: createBatcher<ChooseLines>(MOST_IN_ONE, (batch) => inTurn(() => commit(batch))),
  };
}

/** `chose`: the number of lines that each writer added; 0 for a refused one. */
type ChosenLines = { lines: SpendLine[]; chose: number[]; settle: () => void };

/** Each writer decides on the books with the lines of those before it; one that throws is refused alone. */
function chooseAll(batch: readonly PendingItem<ChooseLines>[], books: SpendBooks): ChosenLines {
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
