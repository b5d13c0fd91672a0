/** The address of a server that several processes share: a queue's or a store's. Every start reads it, so it loads no schema. */
import { usageError } from '../errors.ts';

/** `shown` is the address without user and password. `space` separates projects that share one server. */
export type SharedAddress = { kind: 'redis' | 'postgres'; url: string; shown: string; space: string };

const KINDS: Readonly<Record<string, 'redis' | 'postgres'>> = {
  'redis:': 'redis',
  'rediss:': 'redis',
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
};
/** Also a schema of PostgreSQL, which has its own rules for names. */
const SPACE = /^[a-z][a-z0-9_]{0,40}$/;
const DEFAULT_SPACE = 'tandem';

/** `setting` names the address in what is wrong with it, and `expected` says what it may be. */
export function sharedAddress(setting: string, text: string, expected: string): SharedAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const kind = url === undefined ? undefined : KINDS[url.protocol];
  if (url === undefined || kind === undefined || url.hostname === '') {
    const what = setting === 'TANDEM_QUEUE' ? 'a queue' : 'a store';
    throw usageError(`${setting} is no address of ${what}: expected ${expected}.`);
  }
  const space = url.searchParams.get('space') ?? DEFAULT_SPACE;
  if (!SPACE.test(space)) {
    throw usageError(`${setting}: space "${space}" is no name; expected small letters, digits and _.`);
  }
  url.searchParams.delete('space');
  return { kind, url: url.href, shown: `${url.protocol}//${url.host}${url.pathname}`, space };
}
