/** Where runs live: in folders of the project, or in the store that TANDEM_STORE names. */
import { HarnessError, usageError } from '../errors.ts';
import { sharedAddress } from './shared-address.ts';

/** `shown`: without user and password. `space` separates the stores of one database. */
export type StoreAddress = { url: string; shown: string; space: string };

export type Env = Readonly<Record<string, string | undefined>>;

export const STORE_ADDRESS = 'postgres://user@host/database';

/** Undefined: in folders. Contract: `usage` for an address that cannot be one; a password is never part of a message. */
export function chooseStore(env: Env): StoreAddress | undefined {
  const text = env['TANDEM_STORE']?.trim() || undefined;
  if (text === undefined) return undefined;
  const { kind, ...address } = sharedAddress('TANDEM_STORE', text, STORE_ADDRESS);
  if (kind === 'postgres') return address;
  throw noStore('TANDEM_STORE');
}

export function noStore(setting: string): HarnessError {
  return usageError(`${setting}: runs live in PostgreSQL, or in folders; expected ${STORE_ADDRESS}.`);
}
