/** The one way in for files that a person names, in a command or in a file of theirs. */
import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { HarnessError, describeError } from '../errors.ts';
import { getErrno } from './disk-fault.ts';

/** The most bytes of an unpacked file, against gzip bombs: a longer text does not fit into one string. */
const MAX_BYTES = 400_000_000;

const WHY_UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'It is not there.',
  ENOTDIR: 'It is not there.',
  EACCES: 'This user has no right to read it.',
  ELOOP: 'Its link leads back to itself.',
};

const unpack = promisify(gunzip);

/** `shown` is the file's name in messages. Contract: `not_found` with the reason, also for a folder or a pipe. */
export async function readNamedFile(path: string, shown = path): Promise<Buffer> {
  const unreadable = (cause?: unknown): never => {
    const why =
      cause === undefined ? 'It is no file.' : (WHY_UNREADABLE[getErrno(cause) ?? ''] ?? describeError(cause));
    throw new HarnessError('not_found', `${shown}: cannot be read. ${why}`, { details: { path: shown }, cause });
  };
  // Reading a pipe would wait for ever.
  if (!(await stat(path).catch(unreadable)).isFile()) unreadable();
  return readFile(path).catch(unreadable);
}

/**
 * Unpacks a gzipped file. `mayBeTorn` is for what another program may be writing: its end may be half a character.
 * Contract: as for `readNamedFile`; `config_invalid` for what is no text.
 */
export async function readNamedText(path: string, shown = path, { mayBeTorn = false } = {}): Promise<string> {
  const refuse = (what: string, cause?: unknown): never => {
    throw new HarnessError('config_invalid', `${shown}: ${what}`, { details: { path: shown }, cause });
  };
  const read = await readNamedFile(path, shown);
  const isPacked = read[0] === 0x1f && read[1] === 0x8b;
  const bytes = isPacked
    ? await unpack(read, { maxOutputLength: MAX_BYTES }).catch((cause: unknown) =>
        refuse(
          `cannot be unpacked (${describeError(cause)}). It is cut off, or unpacks to more than ${MAX_BYTES} bytes.`,
          cause,
        ),
      )
    : read;
  return mayBeTorn || isUtf8(bytes) ? bytes.toString('utf8') : refuse('is not text in UTF-8: save it as UTF-8.');
}
