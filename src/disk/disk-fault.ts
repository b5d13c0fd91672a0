/** Errors of the disk become ours at one place: a later try may cure them. */
import { HarnessError, describeError } from '../errors.ts';

/** `ENOENT`, `EEXIST`, …; undefined when the error has no system code. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'Free some space, then run it again.',
  EDQUOT: 'The quota is used up: free some space, then run it again.',
  EACCES: 'Give this user the right to write there, then run it again.',
  EPERM: 'Give this user the right to write there, then run it again.',
  EROFS: 'The disk is read-only: choose another folder.',
  EMFILE: 'Too many files are open: lower the concurrency or raise `ulimit -n`.',
};

const READS = /^(?:Reading|Looking|Listing|Opening|Recalling)/;
const NO_RIGHT = 'This user has no right to read there: ask its owner (chmod g+rX), or run it as its owner.';

const READING = ['scandir', 'stat', 'lstat', 'read', 'access', 'readlink', 'opendir'];

/** What to do about a system error that no operation of ours named; undefined where nothing is known. */
export function adviceOn(error: unknown): string | undefined {
  const errno = errnoOf(error);
  if (errno === undefined || error instanceof HarnessError || !(error instanceof Error)) return undefined;
  const isRight = errno === 'EACCES' || errno === 'EPERM';
  if (isRight && 'syscall' in error && READING.includes(String(error.syscall))) return NO_RIGHT;
  return remedyOf(error);
}

function remedyOf(error: Error): string | undefined {
  const errno = errnoOf(error) ?? '';
  // So Node names a read-only disk where folders are made with those above them.
  const isReadOnly = errno === 'ENOENT' && 'syscall' in error && error.syscall === 'mkdir';
  return isReadOnly ? 'The disk is read-only, or the folder above is not there: choose another.' : REMEDIES[errno];
}

/** Only rights are missing: nothing is known of what is there. */
export function isNoRight(error: unknown): boolean {
  const errno = error instanceof HarnessError ? error.details['errno'] : errnoOf(error);
  return errno === 'EACCES' || errno === 'EPERM';
}

/** Runs `work`; a system error becomes `infrastructure`, retryable, and its message names the operation. */
export async function onDisk<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined || error instanceof HarnessError || !(error instanceof Error)) throw error;
    const isRead = ['EACCES', 'EPERM'].includes(errno) && READS.test(doing);
    const remedy = isRead ? NO_RIGHT : (remedyOf(error) ?? 'Look at the disk, then run it again: nothing is lost.');
    throw new HarnessError('infrastructure', `${doing} failed: ${describeError(error)}. ${remedy}`, {
      retryable: true,
      details: { doing, errno },
      cause: error,
    });
  }
}

/** A system error of the given kind becomes `value`; every other error is rethrown. */
export async function valueOnErrno<T, V>(errno: string, value: V, work: Promise<T>): Promise<T | V> {
  try {
    return await work;
  } catch (error) {
    if (errnoOf(error) === errno) return value;
    throw error;
  }
}
