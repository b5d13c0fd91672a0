/** Every file below a folder; anything that is neither a file nor a folder is refused. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HarnessError } from '../errors.ts';

/** Relative paths with `/`, sorted by code unit so that every machine makes the same manifest. */
export async function walkFiles(root: string): Promise<string[]> {
  const files = await walk(root, '');
  return files.sort((one, other) => (one < other ? -1 : 1));
}

async function walk(root: string, below: string): Promise<string[]> {
  const found: string[] = [];
  for (const item of await readdir(join(root, below), { withFileTypes: true })) {
    const path = below === '' ? item.name : `${below}/${item.name}`;
    if (item.isDirectory()) found.push(...(await walk(root, path)));
    else if (item.isFile()) found.push(path);
    else throw special(root, path);
  }
  return found;
}

/** The folder itself and every folder below it, deepest last. */
export async function walkFolders(root: string): Promise<string[]> {
  const items = await readdir(root, { withFileTypes: true });
  const below = await Promise.all(
    items.filter((item) => item.isDirectory()).map((item) => walkFolders(join(root, item.name))),
  );
  return [root, ...below.flat()];
}

function special(root: string, path: string): HarnessError {
  const message = `${join(root, path)} is neither a file nor a folder (a link, a pipe or a device): remove it.`;
  return new HarnessError('data_corrupt', message, { details: { path } });
}
