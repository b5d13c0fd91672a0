/** The files of its folder that one component may see: itself, its imports and shared helper folders, but no sample. */
import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import { sha256 } from '../../disk/sha256.ts';
import { moduleFault } from './module-file.ts';

/** The folder of components, and the files and folders in it that a host may see. */
export type VisibleFiles = { dir: string; visible: readonly string[] };

/** Relative imports of JavaScript: `from './x.mjs'`, `import './x.mjs'`, `import('./x.mjs')`. */
const IMPORTS = /\b(?:from|import)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g;

/**
 * Paths relative to `dir`, files and folders. `samples/` holds the expected answers, and a tool has no business with the
 * code that judges it: neither is visible, whatever the component imports.
 */
export async function visibleTo(dir: string, module: string): Promise<string[]> {
  const rooms = listFolders(module);
  const folders = await foldersFor(dir, module);
  const isFoldersOwn = (path: string): boolean => folders.some((folder) => path.startsWith(`${folder}/`));
  const files = await withImports(dir, module, rooms);
  return [...files.filter((path) => !isFoldersOwn(path)), ...folders];
}

/** Digest of the module and of all files that are visible to it. */
export async function digestVisible(dir: string, module: string): Promise<string> {
  const paths = await visibleTo(dir, module);
  const files = await Promise.all(paths.map((path) => listFilesAt(join(dir, path))));
  const texts = files.flat().map(async (file) => [relative(dir, file), sha256(await readFile(file))]);
  const sorted = (await Promise.all(texts)).toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1));
  return sha256(JSON.stringify(sorted));
}

/** The file itself, or all files below a folder; never a link. */
export async function listFilesAt(path: string): Promise<string[]> {
  if ((await lstat(path)).isFile()) return [path];
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Sub-folders of `tools/` and `checkers/` are helpers that several components share, not components. */
export async function foldersFor(dir: string, module: string): Promise<string[]> {
  return (await Promise.all(listFolders(module).map((room) => helperFolders(dir, room)))).flat();
}

function listFolders(module: string): string[] {
  return module.startsWith('checkers/') ? ['tools', 'checkers'] : ['tools'];
}

async function withImports(dir: string, module: string, rooms: readonly string[]): Promise<string[]> {
  const found = new Set([module]);
  for (const path of found) {
    if (path.endsWith('.py')) continue;
    const source = await readFile(join(dir, path), 'utf8').catch(() => '');
    for (const [, , specifier = ''] of source.matchAll(IMPORTS)) {
      const wanted = posix.join(posix.dirname(path), specifier);
      const isAllowed = rooms.some((room) => wanted.startsWith(`${room}/`));
      if (isAllowed && (await moduleFault(dir, wanted)) === undefined) found.add(wanted);
    }
  }
  return [...found];
}

async function helperFolders(dir: string, room: string): Promise<string[]> {
  const entries = await readdir(join(dir, room), { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory() && /^[\w-]/.test(entry.name));
  const plain = await Promise.all(
    folders.map(async ({ name }) => (await realpath(join(dir, room, name))) === join(dir, room, name)),
  );
  return folders.filter((_, index) => plain[index]).map(({ name }) => `${room}/${name}`);
}
