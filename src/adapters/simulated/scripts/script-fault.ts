/** A request that the scripts did not foresee: its message, and how it is distinguished from a fault of our own. */
import { HarnessError, isHarnessError } from '../../../errors.ts';

export function scriptFault(message: string): HarnessError {
  return new HarnessError('config_invalid', message);
}

export function isScriptFault(error: unknown): error is HarnessError {
  return isHarnessError(error, 'config_invalid');
}

/** Quoted, on one line, and not longer than a reader wants. */
export function excerpt(text: string, length = 240): string {
  return JSON.stringify(text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text);
}
