/** What a failed statement means: an outage that passes, a role without rights, a run that was removed, or TLS that is set up wrong. */
import { HarnessError, messageOf } from '../../errors.ts';
import { errnoOf } from '../../disk/disk-fault.ts';

const AWAY = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']);

/** Lost connections, a server that starts or stops or is full, a statement that was cancelled, a standby that is not yet promoted, a silence in a transaction. */
const PASSES = /^08|^57P0|^57014|^53[134]00|^58030|^25006|^25P03/;

/** What passes by itself: a lost connection, a server that starts or stops or is full, a race that the server has ended. */
export function isOutage(error: unknown): boolean {
  const code = errnoOf(error) ?? '';
  if (AWAY.has(code) || PASSES.test(code) || isRace(error)) return true;
  return (
    error instanceof Error &&
    /Connection terminated|Query read timeout|timeout exceeded when|timeout expired|connection is lost|not queryable/i.test(
      error.message,
    )
  );
}

export function isRace(error: unknown): boolean {
  return ['40001', '40P01'].includes(errnoOf(error) ?? '');
}

export function gone(cause: unknown, shown: string): HarnessError {
  const message = `The store ${shown} does not answer: ${messageOf(cause)}. Nothing is lost; go on when it is back.`;
  return new HarnessError('infrastructure', message, { retryable: true, cause });
}

/** 23503: the run that it belongs to was removed. 42501: no right. */
export function refused(cause: unknown, shown: string): HarnessError {
  const code = errnoOf(cause);
  if (code === '23503') return new HarnessError('not_found', `The run was removed from the store ${shown}.`, { cause });
  if (code === '42501' || code?.startsWith('28') === true)
    return new HarnessError(
      'config_invalid',
      `The store ${shown} refuses this role: ${messageOf(cause)}. docs/store.md lists the grants.`,
      { cause },
    );
  if (code === '3D000')
    return new HarnessError(
      'config_invalid',
      `The store ${shown} is not there: ${messageOf(cause)}. Make the database (createdb), or name another one. docs/store.md lists the grants.`,
      { cause },
    );
  if (isTlsFault(cause))
    return new HarnessError(
      'config_invalid',
      `The store ${shown} is not connected, because TLS fails: ${messageOf(cause)}. sslmode=verify-full takes a server whose certificate names its host and comes from the CA in sslrootcert (docs/store.md).`,
      { cause },
    );
  const message = `The store ${shown} failed: ${messageOf(cause)}.`;
  return new HarnessError('infrastructure', message, { retryable: true, details: { code }, cause });
}

/** Of Node's own checks, of files that the address names, or of a server that speaks no TLS. */
function isTlsFault(error: unknown): boolean {
  const code = errnoOf(error) ?? '';
  if (/CERT|SELF_SIGNED|LEAF_SIGNATURE|_TLS_|_SSL_|^ENOENT$|^EACCES$/.test(code)) return true;
  return error instanceof Error && /does not support SSL/i.test(error.message);
}
