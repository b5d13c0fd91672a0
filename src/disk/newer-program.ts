/** What a newer version of this program wrote is no damage: `program.json` of a folder says which version wrote there last. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { HarnessError, isHarnessError } from '../errors.ts';
import { packageVersion } from '../own-file.ts';
import { atomicWrite } from './atomic-write.ts';
import { valueOnErrno } from './disk-fault.ts';
import { parseOrNone } from './parse-file.ts';

const FILE = 'program.json';
/** Loose: every later version must be able to say that it is later. */
const ProgramNote = z.looseObject({ version: z.int(), program: z.string() });

/** The version that last wrote in a run; undefined for versions that wrote no note. */
export async function writtenBy(files: { read: (path: string) => Promise<string | undefined> }) {
  const text = await files.read(FILE);
  return text === undefined ? undefined : parseOrNone(ProgramNote, text)?.program;
}

const here = (dir: string) => ({
  read: (path: string) => valueOnErrno('ENOENT', undefined, readFile(join(dir, path), 'utf8')),
});

/** Before this version writes in `dir`. The note of a newer one stays. */
export async function noteProgram(dir: string): Promise<void> {
  const before = await writtenBy(here(dir));
  if (before !== undefined && !isNewer(packageVersion(), before)) return;
  await atomicWrite(join(dir, FILE), `${JSON.stringify({ version: 1, program: packageVersion() })}\n`);
}

/** Where `dir` was written by a newer version, `error` becomes that; otherwise it stays what it is. */
export async function orNewer(dir: string, error: unknown): Promise<unknown> {
  if (!isHarnessError(error, 'data_corrupt') && !isHarnessError(error, 'version_mismatch')) return error;
  const program = await writtenBy(here(dir));
  return program !== undefined && isNewer(program, packageVersion()) ? madeByNewer(dir, program) : error;
}

export function madeByNewer(what: string, program?: string): HarnessError {
  const which = program === undefined ? '' : ` (${program})`;
  const message = `${what} was made by a newer Tandem${which}; this is ${packageVersion()}. It is left as it is: update Tandem to open it.`;
  return new HarnessError('version_mismatch', message, { details: { what } });
}

function isNewer(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { numeric: true }) > 0;
}
