/** Turns errors of the disk into `infrastructure` errors at one place: a later try may succeed. */
import { HarnessError, describeError } from '../errors.ts';

/** Returns the system code, such as `ENOENT`; undefined when the error has none. */
export function getErrno(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'Free some space, then run it again.',
  EDQUOT: 'The quota is used up: free some space, then run it again.',
  EACCES: 'Give this user the right to read and write there, then run it again.',
  EPERM: 'Give this user the right to read and write there, then run it again.',
  EROFS: 'The disk is read-only: choose another folder.',
  EMFILE: 'Too many files are open: lower the concurrency or raise `ulimit -n`.',
};

const READ_OPERATIONS = /^(?:Reading|Looking|Listing|Opening|Recalling)/;
const NO_READ_PERMISSION = 'This user has no right to read there: ask its owner (chmod g+rX), or run it as its owner.';

const READ_SYSCALLS = ['scandir', 'stat', 'lstat', 'read', 'access', 'readlink', 'opendir'];

/** Advises on a system error outside of `onDisk`; undefined when no remedy is known. */
export function findAdvice(error: unknown): string | undefined {
  const errno = getErrno(error);
  if (errno === undefined || error instanceof HarnessError || !(error instanceof Error)) return undefined;
  const isRead = 'syscall' in error && READ_SYSCALLS.includes(String(error.syscall));
  if (isRead && isPermissionError(error)) return NO_READ_PERMISSION;
  return findRemedy(error);
}

function findRemedy(error: Error): string | undefined {
  const errno = getErrno(error) ?? '';
  // Node reports ENOENT from a recursive mkdir on a read-only disk.
  const isReadOnly = errno === 'ENOENT' && 'syscall' in error && error.syscall === 'mkdir';
  return isReadOnly ? 'The disk is read-only, or the folder above is not there: choose another.' : REMEDIES[errno];
}

/** True when only the permission is missing: the file may or may not exist. */
export function isPermissionError(error: unknown): boolean {
  const errno = error instanceof HarnessError ? error.details['errno'] : getErrno(error);
  return errno === 'EACCES' || errno === 'EPERM';
}

/** Runs `work`; a system error becomes a retryable `infrastructure` error whose message names the operation. */
export async function onDisk<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const errno = getErrno(error);
    if (errno === undefined || error instanceof HarnessError || !(error instanceof Error)) throw error;
    const remedy =
      isPermissionError(error) && READ_OPERATIONS.test(doing)
        ? NO_READ_PERMISSION
        : (findRemedy(error) ?? 'Look at the disk, then run it again: nothing is lost.');
    const message = `${doing} failed: ${describeError(error)}. ${remedy}`;
    throw new HarnessError('infrastructure', message, { retryable: true, details: { doing, errno }, cause: error });
  }
}

/** Resolves to `value` on a system error with the given code; every other error is rethrown. */
export async function valueOnErrno<T, V>(errno: string, value: V, work: Promise<T>): Promise<T | V> {
  try {
    return await work;
  } catch (error) {
    if (getErrno(error) === errno) return value;
    throw error;
  }
}
