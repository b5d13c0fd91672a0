/** Writes into a working copy, atomically for readers of this process; the store has all that must survive a crash. */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TEMPORARY_PREFIX } from '../../disk/atomic-write.ts';
import { valueOnErrno } from '../../disk/disk-fault.ts';

/** `pieces` are written one after the other, so that a large file is never in memory as a whole. */
export async function writeLocal(path: string, pieces: string | AsyncIterable<Uint8Array>): Promise<void> {
  const temporary = join(dirname(path), `${TEMPORARY_PREFIX}${randomUUID()}`);
  const write = () => writeFile(temporary, pieces);
  if (typeof pieces === 'string') {
    const missing = await valueOnErrno('ENOENT', 'missing' as const, write());
    if (missing === 'missing') await mkdir(dirname(path), { recursive: true }).then(write);
  } else {
    await mkdir(dirname(path), { recursive: true });
    await write().catch(async (error: unknown) => {
      await rm(temporary, { force: true });
      throw error;
    });
  }
  await rename(temporary, path);
}
