/** Tells damage from a newer format: `program.json` of a folder names the version that wrote there last. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { HarnessError, isHarnessError } from '../errors.ts';
import { packageVersion } from '../own-file.ts';
import { atomicWrite } from './atomic-write.ts';
import { valueOnErrno } from './disk-fault.ts';
import { parseOrNone } from './parse-file.ts';

const PROGRAM_FILE = 'program.json';
/** Loose, because every later version must be able to say that it is later. */
const ProgramNote = z.looseObject({ version: z.int(), program: z.string() });

/** Reads the version that last wrote in a run; undefined for versions that wrote no note. */
export async function readProgramVersion(files: { read: (path: string) => Promise<string | undefined> }) {
  const text = await files.read(PROGRAM_FILE);
  return text === undefined ? undefined : parseOrNone(ProgramNote, text)?.program;
}

const createFolderReader = (dir: string) => ({
  read: (path: string) => valueOnErrno('ENOENT', undefined, readFile(join(dir, path), 'utf8')),
});

/** Notes this version before it writes in `dir`. The note of a newer version stays. */
export async function writeProgramNote(dir: string): Promise<void> {
  const before = await readProgramVersion(createFolderReader(dir));
  if (before !== undefined && !isNewer(packageVersion(), before)) return;
  await atomicWrite(join(dir, PROGRAM_FILE), `${JSON.stringify({ version: 1, program: packageVersion() })}\n`);
}

/** Returns a `version_mismatch` error if a newer version wrote `dir`, and otherwise `error` itself. */
export async function explainIfNewer(dir: string, error: unknown): Promise<unknown> {
  if (!isHarnessError(error, 'data_corrupt') && !isHarnessError(error, 'version_mismatch')) return error;
  const program = await readProgramVersion(createFolderReader(dir));
  return program !== undefined && isNewer(program, packageVersion()) ? createNewerError(dir, program) : error;
}

export function createNewerError(what: string, program?: string): HarnessError {
  const which = program === undefined ? '' : ` (${program})`;
  const message = `${what} was made by a newer Tandem${which}; this is ${packageVersion()}. It is left as it is: update Tandem to open it.`;
  return new HarnessError('version_mismatch', message, { details: { what } });
}

function isNewer(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { numeric: true }) > 0;
}
