/** Images on disk: `transcripts/images/<sha256>`, written once, and checked against their name at every read. */
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HarnessError } from '../../errors.ts';
import type { Images } from '../../ports/images.ts';
import { atomicWrite } from '../../disk/atomic-write.ts';
import { confinePath, makeFolders, refuseLinks } from '../../disk/confine.ts';
import { onDisk, valueOnErrno } from '../../disk/disk-fault.ts';
import { sha256 } from '../../disk/sha256.ts';

const NAME = /^[0-9a-f]{64}$/;

export function openFileImages(runDir: string): Images {
  const pathOf = async (name: string): Promise<string> => {
    if (!NAME.test(name)) throw createImageError(name, 'that is no hash of an image');
    const path = confinePath(runDir, `transcripts/images/${name}`);
    await refuseLinks(runDir, path);
    return path;
  };
  return {
    keep: (data) =>
      onDisk('Keeping an image', async () => {
        const bytes = Buffer.from(data, 'base64');
        const name = sha256(bytes);
        const path = await pathOf(name);
        const there = await valueOnErrno('ENOENT', undefined, stat(path));
        if (there?.size !== bytes.length) {
          await makeFolders(runDir, dirname(path));
          await atomicWrite(path, bytes);
        }
        return { sha256: name, bytes: bytes.length };
      }),
    load: (name) =>
      onDisk(`Reading image ${name}`, async () => {
        const bytes = await valueOnErrno('ENOENT', undefined, readFile(await pathOf(name)));
        if (bytes === undefined) throw createImageError(name, 'it is not there');
        if (sha256(bytes) !== name) throw createImageError(name, 'it holds other bytes than it did');
        return bytes.toString('base64');
      }),
  };
}

function createImageError(name: string, why: string): HarnessError {
  return new HarnessError(
    'data_corrupt',
    `transcripts/images/${name}: ${why}. Copy the file from where the run folder came from, or start a new run.`,
    { details: { image: name } },
  );
}
