/** Guards work in the folder of an attempt, which another worker may take over at any moment. */
import { stat } from 'node:fs/promises';
import { HarnessError } from '../errors.ts';
import { getErrno, valueOnErrno } from './disk-fault.ts';

/** Runs `work`; if it fails with ENOENT and the attempt's folder is gone, throws `attempt_lost`. */
export async function guardAttempt<T>(step: string, dir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (getErrno(error) !== 'ENOENT' || (await valueOnErrno('ENOENT', undefined, stat(dir))) !== undefined) throw error;
    throw createLostError({ step, dir }, error);
  }
}

export function createLostError({ step, dir }: { step: string; dir: string }, cause?: unknown): HarnessError {
  const message = `Another worker took ${step} over: this attempt ends here, and nothing of it is lost.`;
  return new HarnessError('attempt_lost', message, { details: { step, dir }, cause });
}
