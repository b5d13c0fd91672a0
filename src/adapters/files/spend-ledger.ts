/** The ledger behind a money cap: reserved, settled and released amounts, in numbered files of one or more lines. */
import { join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import type { SpendRecord } from '../../ports/run-store.ts';
import { createBatcher, type PendingItem, createSerialQueue } from '../../disk/serial-queue.ts';
import { createExclusive, sweepTemporaryFiles, atomicWrite, removeIfExists } from '../../disk/atomic-write.ts';
import { makeFolders } from '../../disk/confine.ts';
import {
  toNumberedName,
  type MirroredNumbers,
  listNumbers,
  readNumberedFiles,
  readFilesOnward,
  type NumberedFile,
} from '../../disk/numbered-files.ts';
import { createCorruptError, parseFile } from '../../disk/parse-file.ts';
import { readFileStamp } from './file-journal.ts';
import { openBooks, SpendLine, type SpendBooks } from './spend-books.ts';
import { readFile, rm, stat } from 'node:fs/promises';
import { z } from 'zod';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import { sha256 } from '../../disk/sha256.ts';

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

const NAME = 'packed.jsonl';
const MARK = '.packing';
/** Packing takes milliseconds; the process of an older mark was killed. */
const DEAD_MS = 10 * 60_000;

/** The first line of the pack; the texts follow, one after the other. */
export const SpendPack = z.strictObject({
  version: z.literal(1),
  files: z.array(z.strictObject({ sha256: z.string(), bytes: z.int().nonnegative() })),
});

/** `length`: the number of the next file. */
type LedgerFiles = { texts: { name: string; text: string }[]; length: number };

/**
 * Reads all files from number `from` on, so a later read costs only the new ones. A process that had the ledger open
 * while it was packed may have written a file under a number in the pack: such a file counts after the pack, unless it
 * is a packed file that was not removed yet.
 */
export async function readLedgerFiles(folder: string, from: number): Promise<LedgerFiles> {
  return from > 0
    ? toNumberedTexts(await readFilesOnward(folder, from), from)
    : toLedgerFiles(await readPackAndFiles(folder));
}

function toLedgerFiles([packed, files]: PackAndFiles): LedgerFiles {
  if (packed === undefined) return toNumberedTexts(files, 0);
  const late = files.filter(({ number, text }) => packed[number] === undefined || packed[number] !== text);
  const texts = packed.map((text) => ({ name: `spend/${NAME}`, text }));
  const last = Math.max(packed.length - 1, ...late.map(({ number }) => number));
  return { texts: [...texts, ...toNumberedTexts(late, 0).texts], length: last + 1 };
}

/** Identifies a pack; undefined when there is none. */
const packStamp = (folder: string): Promise<string | undefined> => readFileStamp(join(folder, NAME));

/** Contract: each line is at every moment in the pack or in a numbered file; the next call finishes an interrupted pack. */
async function packLedger(folder: string): Promise<void> {
  if ((await listNumbers(folder)).length === 0) return;
  // Only one process may pack, because a second one could replace the new pack by an earlier one.
  const mark = join(folder, MARK);
  const since = await valueOnErrno('ENOENT', undefined, stat(mark));
  if (since !== undefined && Date.now() - since.mtimeMs > DEAD_MS) await rm(mark, { force: true });
  if (!(await createExclusive(mark, ''))) return;
  try {
    await packMarked(folder);
  } finally {
    await rm(mark, { force: true });
  }
}

async function packMarked(folder: string): Promise<void> {
  const both = await readPackAndFiles(folder);
  const { texts } = toLedgerFiles(both);
  const head = {
    version: 1,
    files: texts.map(({ text }) => ({ sha256: sha256(text), bytes: Buffer.byteLength(text) })),
  };
  await atomicWrite(join(folder, NAME), [`${JSON.stringify(head)}\n`, ...texts.map(({ text }) => text)].join(''));
  for (const { path } of both[1]) await removeIfExists(path);
}

type PackAndFiles = [packed: string[] | undefined, files: NumberedFile[]];

/** Reads again when the files were packed during the read. */
async function readPackAndFiles(folder: string): Promise<PackAndFiles> {
  for (;;) {
    const before = await packStamp(folder);
    try {
      const packed = await readPack(folder);
      const files = await readNumberedFiles(folder, packed === undefined ? 0 : 'any');
      if (before === (await packStamp(folder))) return [packed, files];
    } catch (error) {
      if (before === (await packStamp(folder))) throw error;
    }
  }
}

async function readPack(folder: string): Promise<string[] | undefined> {
  const bytes = await valueOnErrno('ENOENT', undefined, readFile(join(folder, NAME)));
  if (bytes === undefined) return undefined;
  let at = bytes.indexOf(0x0a) + 1;
  const { files } = parseFile(SpendPack, bytes.toString('utf8', 0, at), `spend/${NAME}`);
  return files.map((file, number) => {
    const text = bytes.toString('utf8', at, (at += file.bytes));
    if (sha256(text) === file.sha256) return text;
    const what = `was changed after it was written: ${toNumberedName(number)} in it has another digest`;
    throw createCorruptError(`spend/${NAME}`, what);
  });
}

function toNumberedTexts(files: readonly NumberedFile[], from: number): LedgerFiles {
  const texts = files.map(({ number, text }) => ({ name: `spend/${toNumberedName(number)}`, text }));
  return { texts, length: (files.at(-1)?.number ?? from - 1) + 1 };
}
