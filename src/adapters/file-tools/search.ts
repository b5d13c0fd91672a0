/** What the vendor's toolset lacks: search over all mounts in one fixed order and bounded time, removing and renaming. */
import { readdir, stat, lstat, mkdir, rename, rmdir, unlink } from 'node:fs/promises';
import { join, dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { decodeText } from '../../disk/decode-text.ts';
import { readOwnText } from '../../own-file.ts';
import {
  describeMounts,
  cleanPath,
  isWithin,
  locatePath,
  logicalName,
  findMount,
  FileToolError,
  displayPath,
  type OwnedMount,
  locateWritable,
  type ResolvedPath,
} from './mounts.ts';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import { unlessAborted } from '../../ports/unless-aborted.ts';

const SEARCH_SOURCE = readOwnText('./search-thread.cjs', import.meta.url).replace(`'{{decodeText}}'`, () =>
  decodeText.toString(),
);

export type FoundFile = { logical: string; physical: string };

const Found = z.union([
  z.object({
    lines: z.array(z.string()),
    total: z.number(),
    /** Files that were too large to be searched. */
    skipped: z.array(z.string()),
  }),
  z.object({ invalid: z.string() }),
]);
type Found = Exclude<z.infer<typeof Found>, { invalid: string }>;

const MOST_FILES = 20_000;
const DEEPEST = 40;
const LONGEST_PATTERN = 1000;

/**
 * Lists every regular file under the logical folder (or that file), sorted by logical name. The folder may contain
 * several mounts. Links are not followed, and files that another mount hides are left out.
 */
export async function listMountFiles(
  path: string,
  mounts: readonly OwnedMount[],
  signal: AbortSignal,
): Promise<FoundFile[]> {
  const folder = cleanPath(path, mounts);
  const around = findMount(folder, mounts);
  const below = mounts.filter((mount) => mount !== around && isWithin(mount.logical, folder));
  if (around === undefined && below.length === 0) {
    throw new FileToolError(`${displayPath(path)} is not yours to see. ${describeMounts(mounts)}`);
  }
  const found: FoundFile[] = [];
  for (const mount of around === undefined ? below : [around, ...below]) {
    const root = (await locatePath(mount.logical, [mount])).real;
    const start = mount === around ? (await locatePath(folder, [mount])).real : root;
    for await (const file of filesUnder(start, signal)) {
      const logical = logicalName(mount, root, file);
      if (findMount(logical, mounts) === mount) found.push({ logical, physical: file });
      if (found.length > MOST_FILES)
        throw new FileToolError(`There are more than ${MOST_FILES} files. Name a folder in path.`);
    }
  }
  return found.sort((a, b) => (a.logical < b.logical ? -1 : 1));
}

async function* filesUnder(path: string, signal: AbortSignal, depth = 0): AsyncGenerator<string> {
  signal.throwIfAborted();
  const here = await stat(path).catch(() => undefined);
  if (here?.isFile() === true) yield path;
  if (here?.isDirectory() !== true || depth > DEEPEST) return;
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (isHidden(entry.name)) continue;
    if (entry.isFile()) yield join(path, entry.name);
    else if (entry.isDirectory()) yield* filesUnder(join(path, entry.name), signal, depth + 1);
  }
}

const PACKED_CALLS = /^[a-z0-9][a-z0-9-]*\.\d+\.calls\.json$/;

/** Hides writes in progress (`.tmp-…`), the packed bytes of trials, and names whose control characters would forge a result line. */
function isHidden(name: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return (
    name === '.git' ||
    PACKED_CALLS.test(name) ||
    name === 'node_modules' ||
    name.startsWith('.tmp-') ||
    /[\u0000-\u001f\u007f]/.test(name)
  );
}

export type Search = { kind: 'glob' | 'grep'; pattern: string; maxChars: number; limitMs: number };
/** A file to match a pattern with: the name that is compared, the name that is shown, and the path of its content. */
export type SearchTarget = { name: string; shown: string; physical: string };

/**
 * Runs in a separate thread that is ended when the time is over, because a pattern that the model wrote may backtrack
 * without end, as a regex and as a glob.
 */
export async function runSearch(
  { kind, pattern, maxChars, limitMs }: Search,
  subjects: readonly SearchTarget[],
  signal: AbortSignal,
): Promise<Found> {
  if (pattern.length > LONGEST_PATTERN)
    throw new FileToolError(`the pattern is longer than ${LONGEST_PATTERN} characters.`);
  signal.throwIfAborted();
  const worker = new Worker(SEARCH_SOURCE, {
    eval: true,
    workerData: { kind, pattern, maxChars, subjects },
    // The thread gets no key and no flag of this process, and cannot write to its streams.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    // V8 ends the whole process when a deeply nested regex meets the small default stack.
    resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 8 },
  });
  try {
    const found = Found.parse(await awaitAnswer(worker, limitMs, signal));
    if ('invalid' in found) throw new FileToolError(`the pattern cannot be used: ${found.invalid}`);
    return found;
  } finally {
    await worker.terminate();
  }
}

async function awaitAnswer(worker: Worker, limitMs: number, signal: AbortSignal): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const onTime = () =>
    reject(new FileToolError(`stopped after ${limitMs / 1000} s. Use a simpler pattern or a narrower path.`));
  const timer = setTimeout(onTime, limitMs);
  worker.once('message', resolve);
  worker.once('error', () => reject(new FileToolError(`the search ran out of memory. Use a simpler pattern.`)));
  try {
    return await unlessAborted(promise, signal);
  } finally {
    clearTimeout(timer);
  }
}

/** `remove` and `rename` one file of the agent's own, confined like a write; an existing file is never overwritten. */
export async function removeFile(path: string, mounts: readonly OwnedMount[]): Promise<string> {
  const place = await locateOwnFile(path, mounts);
  await unlink(place.real);
  await dropEmptyFolders(place);
  return `removed ${place.logical}`;
}

export async function renameFile(
  { file_path, new_path }: { file_path: string; new_path: string },
  mounts: readonly OwnedMount[],
): Promise<string> {
  const from = await locateOwnFile(file_path, mounts);
  const to = await locateWritable(new_path, mounts);
  if ((await readPathKind(to.real)) !== undefined || to.logical === to.mount.logical)
    throw new FileToolError(`${displayPath(new_path)} is taken: remove it first, or choose another path.`);
  await mkdir(dirname(to.real), { recursive: true });
  await rename(from.real, to.real);
  await dropEmptyFolders(from);
  return `renamed ${from.logical} to ${to.logical}`;
}

async function locateOwnFile(path: string, mounts: readonly OwnedMount[]): Promise<ResolvedPath> {
  const place = await locateWritable(path, mounts);
  const kind = await readPathKind(place.real);
  if (kind === undefined) throw new FileToolError(`${displayPath(path)} does not exist.`);
  if (kind === 'folder') throw new FileToolError(`${displayPath(path)} is a folder: name a file in it.`);
  return place;
}

async function readPathKind(real: string): Promise<'file' | 'folder' | undefined> {
  const found = await valueOnErrno('ENOENT', undefined, lstat(real));
  return found === undefined ? undefined : found.isDirectory() ? 'folder' : 'file';
}

/** Removes empty folders up to the agent's own, which stays, because an attempt without it counts as taken over. */
async function dropEmptyFolders({ logical, mount, real }: ResolvedPath): Promise<void> {
  const depth = logical.slice(mount.logical.length).split('/').filter(Boolean).length - 1;
  let folder = dirname(real);
  for (let left = depth; left > 0; left -= 1) {
    try {
      await rmdir(folder);
    } catch {
      return;
    }
    folder = dirname(folder);
  }
}
