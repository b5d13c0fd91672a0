/** The token that signs people in and seals their links: created on first use, saved in an owner-only file. */
import { randomBytes } from 'node:crypto';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { errnoOf } from '../../disk/disk-fault.ts';
import { messageOf, usageError } from '../../errors.ts';

export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/** Cookies and links outlive a restart by it. */
export async function tokenIn(path: string): Promise<string> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw usageError(`--token-file ${path} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  if (found === undefined) {
    await makeToken(path);
    return tokenIn(path);
  }
  if (!found.isFile() || (found.mode & 0o077) !== 0) {
    throw usageError(`--token-file ${path} can be read by others: chmod 600 it, or name another file.`);
  }
  const token = (await readFile(path, 'utf8')).trim();
  if (/^[\x21-\x7e]{24,500}$/.test(token)) return token;
  throw usageError(`--token-file ${path} holds no token of 24 characters or more: delete it to have one made.`);
}

/** Of several that start at the same time all have the token of the first. */
async function makeToken(path: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${newToken()}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, path);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
