/** `tandem.yaml` makes a folder a project, holds the defaults of its commands, and names the store of its runs. */
import { z } from 'zod';
import { findOwnFile, MARKER, type Home, isWritableByOthers } from './home.ts';
import { readYamlFile } from './yaml-file.ts';
import { createConfigError } from '../errors.ts';
import { sharedAddress } from './shared-address.ts';
import { noStore, STORE_ADDRESS, type Env } from './store.ts';

const PASSWORD_NAME = /^[A-Z][A-Z0-9_]*PASSWORD$/;

export const Project = z.strictObject({
  version: z.literal(1),
  /** Name of the project, for people. */
  name: z.string().min(1),
  /** Values that a command uses when the flag is not given. */
  defaults: z.strictObject({ profile: z.string().optional() }).prefault({}),
  /** The store that its runs live in. */
  store: z
    .strictObject({
      url: z.string(),
      /** Name of the variable with the password; the pattern excludes variables with a model's key. */
      password_from: z.string().regex(PASSWORD_NAME).optional(),
    })
    .optional(),
});
export type Project = z.infer<typeof Project>;

/** Undefined for a folder without the file. */
export async function readProject(home: Home): Promise<Project | undefined> {
  const path = findOwnFile(home, MARKER);
  return path === undefined ? undefined : readYamlFile(path, Project, MARKER);
}

const SETTING = `${MARKER}: store.url`;

/**
 * Returns the TANDEM_STORE value for a project that names its store; undefined when the variable is set, even to an
 * empty text. Contract: `config_invalid` for a password in the file, which every copy of it would contain.
 */
export async function readStoreSetting(home: Home, env: Env): Promise<string | undefined> {
  if (env['TANDEM_STORE'] !== undefined) return undefined;
  const store = (await readProject(home))?.store;
  if (store === undefined) return undefined;
  const path = findOwnFile(home, MARKER);
  if (path !== undefined && isWritableByOthers(path))
    throw createConfigError(`${path} names a store, and another user can write to it: make the file yours.`);
  const { kind } = sharedAddress(SETTING, store.url, STORE_ADDRESS);
  if (kind !== 'postgres') throw noStore(SETTING);
  const url = new URL(store.url);
  if (url.password !== '' || url.searchParams.has('password'))
    throw createConfigError(
      `${SETTING} holds a password: name the variable that has it (store: { password_from: … }).`,
    );
  if (store.password_from === undefined) return url.href;
  const password = env[store.password_from];
  if (password === undefined)
    throw createConfigError(
      `${MARKER} takes the password of its store from ${store.password_from}, and that is not set.`,
    );
  url.password = encodeURIComponent(password);
  return url.href;
}
