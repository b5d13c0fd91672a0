/** Reads a folder of files `000000.json`, `000001.json`, … in order, and names the first gap. */
import { readFile as readByCallback } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { HarnessError } from '../errors.ts';
import { valueOnErrno } from './disk-fault.ts';

/** Runs have thousands of small files; without a handle object for each, reading is twice as fast. */
const readFile = promisify(readByCallback);
export const NUMBERED_NAME = /^\d{6,}\.json$/;
const CONCURRENT_READS = 32;

export function toNumberedName(number: number): string {
  return `${String(number).padStart(6, '0')}.json`;
}

/** Access to the store that the numbered files are a copy of. */
export type MirroredNumbers = {
  /** Writes the files here that other processes have added to the store since. */
  refresh: () => Promise<void>;
  /** Contract: durable in the store before the file is here; false when the number is taken. */
  create: (path: string, text: string) => Promise<boolean>;
};

export type NumberedFile = { number: number; path: string; text: string };

/** Lists the numbers of the files, unsorted. */
export async function listNumbers(folder: string): Promise<number[]> {
  const names = await valueOnErrno('ENOENT', [], readdir(folder));
  return names.filter((name) => NUMBERED_NAME.test(name)).map((name) => Number.parseInt(name, 10));
}

/**
 * Reads every file from number `from` on. Throws `data_corrupt` for the first one missing in between; with `any` it
 * returns the files that exist.
 */
export async function readNumberedFiles(folder: string, from: number | 'any'): Promise<NumberedFile[]> {
  const numbers = await listNumbers(folder);
  if (from === 'any') {
    const ordered = numbers.toSorted((one, other) => one - other);
    const there = await Promise.all(ordered.map((one) => findNumberedFile(folder, one)));
    return there.filter((file) => file !== undefined);
  }
  const end = Math.max(-1, ...numbers) + 1;
  const files: NumberedFile[] = [];
  for (let start = from; start < end; start += CONCURRENT_READS) {
    const count = Math.min(CONCURRENT_READS, end - start);
    const reads = Array.from({ length: count }, (_, index) => readNumberedFile(folder, start + index));
    files.push(...(await Promise.all(reads)));
  }
  return files;
}

/** Reads the files from number `from` on, up to the first missing one, without listing the folder. */
export async function readFilesOnward(folder: string, from: number): Promise<NumberedFile[]> {
  const files: NumberedFile[] = [];
  for (;;) {
    const file = await findNumberedFile(folder, from + files.length);
    if (file === undefined) return files;
    files.push(file);
  }
}

/** Reads by path, because a listing made while others append may miss a file that exists. */
async function findNumberedFile(folder: string, number: number): Promise<NumberedFile | undefined> {
  const path = join(folder, toNumberedName(number));
  const text = await valueOnErrno('ENOENT', undefined, readFile(path, 'utf8'));
  return text === undefined ? undefined : { number, path, text };
}

async function readNumberedFile(folder: string, number: number): Promise<NumberedFile> {
  const found = await findNumberedFile(folder, number);
  if (found !== undefined) return found;
  const name = `${basename(folder)}/${toNumberedName(number)}`;
  const message = `${name} is missing, and later ones are there: restore it from a copy.`;
  throw new HarnessError('data_corrupt', message, { details: { path: join(folder, toNumberedName(number)) } });
}
