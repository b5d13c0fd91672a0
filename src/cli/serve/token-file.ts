/** Stores the token that signs people in and seals their links, in an owner-only file that is created on first use. */
import { randomBytes } from 'node:crypto';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getErrno } from '../../disk/disk-fault.ts';
import { findFolderFault } from '../../disk/named-output.ts';
import { describeError, usageError } from '../../errors.ts';

export function createToken(): string {
  return randomBytes(24).toString('base64url');
}

/** With a stored token, cookies and links stay valid after a restart. */
export async function readOrCreateToken(path: string): Promise<string> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw usageError(`--token-file ${path} cannot be read: ${describeError(error)}`, { cause: error });
  });
  if (found === undefined) {
    // A link to nothing would be followed for ever.
    const fault = findFolderFault(path, dirname(path));
    if (fault !== undefined) throw usageError(`--token-file: ${fault}`);
    await writeNewToken(path);
    return readOrCreateToken(path);
  }
  if (!found.isFile() || (found.mode & 0o077) !== 0) {
    throw usageError(`--token-file ${path} can be read by others: chmod 600 it, or name another file.`);
  }
  const token = (await readFile(path, 'utf8')).trim();
  if (/^[\x21-\x7e]{24,500}$/.test(token)) return token;
  throw usageError(`--token-file ${path} holds no token of 24 characters or more: delete it to have one made.`);
}

/** When several processes start at the same time, all of them use the token of the first. */
async function writeNewToken(path: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${createToken()}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, path);
  } catch (error) {
    if (getErrno(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
