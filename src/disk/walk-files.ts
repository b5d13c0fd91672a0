/** Lists every file below a folder; refuses anything that is neither a file nor a folder. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HarnessError } from '../errors.ts';

/** Returns relative paths with `/`, sorted by code unit so that every machine makes the same manifest. */
export async function walkFiles(root: string): Promise<string[]> {
  const files = await listFilesBelow(root, '');
  return files.sort((one, other) => (one < other ? -1 : 1));
}

async function listFilesBelow(root: string, below: string): Promise<string[]> {
  const found: string[] = [];
  for (const item of await readdir(join(root, below), { withFileTypes: true })) {
    const path = below === '' ? item.name : `${below}/${item.name}`;
    if (item.isDirectory()) found.push(...(await listFilesBelow(root, path)));
    else if (item.isFile()) found.push(path);
    else throw createSpecialFileError(root, path);
  }
  return found;
}

/** Returns the folder itself and every folder below it, parents before children. */
export async function walkFolders(root: string): Promise<string[]> {
  const items = await readdir(root, { withFileTypes: true });
  const below = await Promise.all(
    items.filter((item) => item.isDirectory()).map((item) => walkFolders(join(root, item.name))),
  );
  return [root, ...below.flat()];
}

function createSpecialFileError(root: string, path: string): HarnessError {
  const message = `${join(root, path)} is neither a file nor a folder (a link, a pipe or a device): remove it.`;
  return new HarnessError('data_corrupt', message, { details: { path } });
}
