/** The ledger of a run that has ended, in one file: `spend/packed.jsonl` holds its numbered files, each with its digest. */
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import { atomicWrite, createExclusive, removeIfExists } from '../../disk/atomic-write.ts';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import {
  toNumberedName,
  listNumbers,
  readNumberedFiles,
  readFilesOnward,
  type NumberedFile,
} from '../../disk/numbered-files.ts';
import { parseFile } from '../../disk/parse-file.ts';
import { sha256 } from '../../disk/sha256.ts';

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
export type LedgerFiles = { texts: { name: string; text: string }[]; length: number };

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
export async function packStamp(folder: string): Promise<string | undefined> {
  const found = await valueOnErrno('ENOENT', undefined, stat(join(folder, NAME), { bigint: true }));
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
}

/** Contract: each line is at every moment in the pack or in a numbered file; the next call finishes an interrupted pack. */
export async function packLedger(folder: string): Promise<void> {
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
    const message = `spend/${NAME} was changed after it was written: ${toNumberedName(number)} in it has another digest. Restore it from a copy of the run.`;
    throw new HarnessError('data_corrupt', message, { details: { file: `spend/${NAME}` } });
  });
}

function toNumberedTexts(files: readonly NumberedFile[], from: number): LedgerFiles {
  const texts = files.map(({ number, text }) => ({ name: `spend/${toNumberedName(number)}`, text }));
  return { texts, length: (files.at(-1)?.number ?? from - 1) + 1 };
}
