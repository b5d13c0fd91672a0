/** The manifest of a folder lists its files with their hashes; its digest identifies the folder's content. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { HarnessError } from '../errors.ts';
import type { Manifest } from '../scenario/design.ts';
import { canonicalJson, sha256 } from './sha256.ts';
import { walkFiles } from './confine.ts';

export const MANIFEST = 'manifest.json';

const CONCURRENT_READS = 16;

export function manifestDigest(manifest: Manifest): string {
  return sha256(canonicalJson(manifest));
}

/** Reads and hashes every file; with `sync` it also makes each file durable. */
export async function makeManifest(dir: string, sync: boolean): Promise<Manifest> {
  const paths = (await walkFiles(dir)).filter((path) => path !== MANIFEST);
  const files: Manifest['files'] = [];
  for (let start = 0; start < paths.length; start += CONCURRENT_READS) {
    const batch = paths.slice(start, start + CONCURRENT_READS);
    files.push(...(await Promise.all(batch.map((path) => describeFile(dir, path, sync)))));
  }
  return { version: 1, files };
}

async function describeFile(dir: string, path: string, sync: boolean): Promise<Manifest['files'][number]> {
  // `O_NOFOLLOW`: a link may have taken the file's place after the walk.
  const file = await open(join(dir, path), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const content = await file.readFile();
    if (sync) await file.sync();
    return { path, sha256: sha256(content), bytes: content.length };
  } finally {
    await file.close();
  }
}

/** Throws `data_corrupt` naming the first file that was changed, removed or added since the manifest was made. */
export async function checkManifest(dir: string, manifest: Manifest): Promise<void> {
  const now = new Map((await makeManifest(dir, false)).files.map((file) => [file.path, file]));
  for (const file of manifest.files) {
    const found = now.get(file.path);
    if (found === undefined) throw createChangedError(dir, file.path, 'was removed');
    if (found.sha256 !== file.sha256 || found.bytes !== file.bytes)
      throw createChangedError(dir, file.path, 'was changed');
    now.delete(file.path);
  }
  const [added] = now.keys();
  if (added !== undefined) throw createChangedError(dir, added, 'was added');
}

function createChangedError(dir: string, path: string, what: string): HarnessError {
  const message = `${join(dir, path)} ${what} after the folder was committed: restore it from a copy of the run.`;
  return new HarnessError('data_corrupt', message, { details: { dir, path } });
}
