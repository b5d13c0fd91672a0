/** A folder of files `000000.json`, `000001.json`, …: read in order, with a gap found and named. */
import { readFile as readByCallback } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { HarnessError } from '../errors.ts';
import { valueOnErrno } from './disk-fault.ts';

/** Thousands of small files: without a handle object for each it is twice as fast. */
const readFile = promisify(readByCallback);
const NUMBERED = /^\d{6,}\.json$/;
const AT_ONCE = 32;

export function numberedName(number: number): string {
  return `${String(number).padStart(6, '0')}.json`;
}

/** Where numbered files are a copy of what lies elsewhere. */
export type SharedNumbers = {
  /** Writes the files that others have made since. */
  refresh: () => Promise<void>;
  /** Contract: durable there before the file is here; false when the number is taken. */
  create: (path: string, text: string) => Promise<boolean>;
};

export type NumberedFile = { number: number; path: string; text: string };

/** In no order. */
export async function numbersIn(folder: string): Promise<number[]> {
  const names = await valueOnErrno('ENOENT', [], readdir(folder));
  return names.filter((name) => NUMBERED.test(name)).map((name) => Number.parseInt(name, 10));
}

/**
 * Every file from number `from` on. Contract: `data_corrupt` names the first one that is missing in between, except with
 * `any`: then those that are there.
 */
export async function readNumbered(folder: string, from: number | 'any'): Promise<NumberedFile[]> {
  const numbers = await numbersIn(folder);
  if (from === 'any') {
    const there = await Promise.all(numbers.toSorted((one, other) => one - other).map((one) => findOne(folder, one)));
    return there.filter((file) => file !== undefined);
  }
  const end = Math.max(-1, ...numbers) + 1;
  const files: NumberedFile[] = [];
  for (let start = from; start < end; start += AT_ONCE) {
    const count = Math.min(AT_ONCE, end - start);
    files.push(...(await Promise.all(Array.from({ length: count }, (_, index) => readOne(folder, start + index)))));
  }
  return files;
}

/** The files from number `from` on, to the first that is not there: nothing is listed, so it costs what is new. */
export async function readOnward(folder: string, from: number): Promise<NumberedFile[]> {
  const files: NumberedFile[] = [];
  for (;;) {
    const file = await findOne(folder, from + files.length);
    if (file === undefined) return files;
    files.push(file);
  }
}

/** By path and not from the listing: a listing made while others append may miss a file that is there. */
async function findOne(folder: string, number: number): Promise<NumberedFile | undefined> {
  const path = join(folder, numberedName(number));
  const text = await valueOnErrno('ENOENT', undefined, readFile(path, 'utf8'));
  return text === undefined ? undefined : { number, path, text };
}

async function readOne(folder: string, number: number): Promise<NumberedFile> {
  const found = await findOne(folder, number);
  if (found !== undefined) return found;
  const name = `${basename(folder)}/${numberedName(number)}`;
  throw new HarnessError('data_corrupt', `${name} is missing, and later ones are there: restore it from a copy.`, {
    details: { path: join(folder, numberedName(number)) },
  });
}
