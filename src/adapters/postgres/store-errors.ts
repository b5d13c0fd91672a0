/** Explains a failed statement: a passing outage, a role without rights, a removed run, or a wrong TLS setup. */
import { HarnessError, describeError } from '../../errors.ts';
import { getErrno } from '../../disk/disk-fault.ts';

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);

/** SQLSTATE codes of lost connections, servers that start, stop or are full, cancelled statements, unpromoted standbys, and silent transactions. */
const TRANSIENT = /^08|^57P0|^57014|^53[134]00|^58030|^25006|^25P03/;
const LOST_CONNECTION =
  /Connection terminated|Query read timeout|timeout exceeded when|timeout expired|connection is lost|not queryable/i;

/** True for passing errors: a lost connection, a server that starts, stops or is full, a race that the server has ended. */
export function isOutage(error: unknown): boolean {
  const code = getErrno(error) ?? '';
  if (UNREACHABLE.has(code) || TRANSIENT.test(code) || isRace(error)) return true;
  return error instanceof Error && LOST_CONNECTION.test(error.message);
}

export function isRace(error: unknown): boolean {
  return ['40001', '40P01'].includes(getErrno(error) ?? '');
}

export function storeUnreachable(cause: unknown, shown: string): HarnessError {
  const message = `The store ${shown} does not answer: ${describeError(cause)}. Nothing is lost; go on when it is back.`;
  return new HarnessError('infrastructure', message, { retryable: true, cause });
}

/** SQLSTATE 23503: the run was removed. SQLSTATE 42501: the role lacks a right. */
export function toStoreError(cause: unknown, shown: string): HarnessError {
  const code = getErrno(cause);
  if (code === '23503') return new HarnessError('not_found', `The run was removed from the store ${shown}.`, { cause });
  const why = describeError(cause);
  const refuse = (what: string) => new HarnessError('config_invalid', `The store ${shown} ${what}`, { cause });
  if (code === '42501' || code?.startsWith('28') === true)
    return refuse(`refuses this role: ${why}. docs/operations.md lists the grants.`);
  if (code === '3D000')
    return refuse(
      `is not there: ${why}. Make the database (createdb), or name another one. docs/operations.md lists the grants.`,
    );
  if (isTlsFault(cause))
    return refuse(
      `is not connected, because TLS fails: ${why}. sslmode=verify-full takes a server whose certificate names its host and comes from the CA in sslrootcert (docs/operations.md).`,
    );
  const message = `The store ${shown} failed: ${why}.`;
  return new HarnessError('infrastructure', message, { retryable: true, details: { code }, cause });
}

/** True for errors of Node's own checks, of certificate files named in the address, and of servers without TLS. */
function isTlsFault(error: unknown): boolean {
  const code = getErrno(error) ?? '';
  if (/CERT|SELF_SIGNED|LEAF_SIGNATURE|_TLS_|_SSL_|^ENOENT$|^EACCES$/.test(code)) return true;
  return error instanceof Error && /does not support SSL/i.test(error.message);
}
