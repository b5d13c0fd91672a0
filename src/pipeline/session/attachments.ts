/** Attaches files that a person names in a message: copied into the session, texts framed as material. */
import { existsSync } from 'node:fs';
import { copyFile, lstat, open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { view } from '../../context/index.ts';
import { makeFolders, walkFiles } from '../../disk/confine.ts';
import { decodeText } from '../../disk/decode-text.ts';
import { onDisk } from '../../disk/disk-fault.ts';
import { usageError, type HarnessError } from '../../errors.ts';
import { findNamedFile, looksLikeFile, parseMentions } from '../../gate/rules/mentions.ts';
import type { SessionFolder } from '../../ports/run-store.ts';
import type { SessionTurns } from '../../run/fold-turns.ts';
import { IMAGE_HEAD_BYTES, detectImageType, findImageFault } from '../../transcript/image-facts.ts';
import type { Entry, EntryDraft } from '../../transcript/entry.ts';
import { createUserMessage, getText, type ImageBlock } from '../../transcript/message.ts';
import { findNearFile, frameFile, READABLE_OF_RUNS, referToShown } from '../chat/mentioned-files.ts';
import type { Mount } from '../../ports/tools/tool-host.ts';

const MOST_FILES = 20;
const MOST_BYTES = 20_000_000;
const MOST_NAMES = 5000;
/** Matches the path of an image in a text, as a terminal writes a file that is dropped on it. */
const IMAGE_PATH =
  /(?:"([^"\n]+\.(?:png|jpe?g|gif|webp))"|'([^'\n]+\.(?:png|jpe?g|gif|webp))'|((?:\\ |[^\s"'@\\])+\.(?:png|jpe?g|gif|webp)))/giu;

/** `attached` holds the texts of the files, framed as material. */
export type Attachments = { sent: string; attached?: string; files: string[]; images: string[] };
export type FoundAttachments = { said: Attachments; unknown: readonly string[] };
type SourceFile = { name: string; path: string; inFolder?: true };

/** Contract: `usage` for a name that is nearly a file here or leads out of the folder, before anything is recorded. */
export async function attachNamedFiles(
  folder: SessionFolder,
  now: Pick<SessionTurns, 'run'>,
  { text, cwd, turn }: { text: string; cwd: string; turn: number },
): Promise<FoundAttachments> {
  const { sources: named, unknown } = await findNamedFiles(text, cwd, now.run?.dir);
  const dropped = await findDroppedImages(text, cwd);
  const sources = [...new Map([...named, ...dropped].map((one) => [one.path, one])).values()];
  if (sources.length > MOST_FILES)
    throw usageError(
      `A message takes ${MOST_FILES} files along; this one names ${sources.length}. Name a smaller folder.`,
    );
  const sizes = await Promise.all(sources.map(async ({ path }) => (await stat(path)).size));
  if (sizes.reduce((sum, size) => sum + size, 0) > MOST_BYTES)
    throw usageError(`The files of this message have more than ${MOST_BYTES / 1e6} MB together.`);
  const copies = await Promise.all(sources.map((one) => copyInto(folder, one, turn)));
  const images = copies.flatMap(({ path, isImage }) => (isImage ? [path] : []));
  const frames = copies.flatMap(({ path, isImage, content }) =>
    isImage ? [`<attached_image path=${JSON.stringify(path)}/>`] : [frameFile(path, content)],
  );
  const attached = frames.length === 0 ? {} : { attached: frames.join('\n\n') };
  return { said: { sent: text, ...attached, files: copies.map(({ path }) => path), images }, unknown };
}

/** A file that the model is shown already is sent in full only once. */
export function createAttachedDraft(attached: string, entries: readonly Entry[]): EntryDraft {
  const shown = view(entries).messages.map(getText).join('\n');
  return { type: 'message', origin: 'reminder', message: createUserMessage(referToShown(attached, shown)) };
}

/** Reads the images of a message from the copies. */
export async function readImages({ dir }: Pick<SessionFolder, 'dir'>, paths: readonly string[]): Promise<ImageBlock[]> {
  return Promise.all(
    paths.map(async (path): Promise<ImageBlock> => {
      const bytes = await onDisk(`Reading ${path}`, () => readFile(join(dir, path)));
      const media_type = detectImageType(bytes) ?? 'image/png';
      return { type: 'image', source: { type: 'base64', media_type, data: bytes.toString('base64') } };
    }),
  );
}

/** `unknown` has the names that look like files and name none: they are words, and the person is told. */
type NamedSources = { sources: SourceFile[]; unknown: string[] };

/** A name outside of the folder is refused only where something has that name: `@/components` may be an alias in code. */
async function findNamedFiles(text: string, cwd: string, runDir: string | undefined): Promise<NamedSources> {
  const { inside, outside } = parseMentions(text);
  for (const name of outside) if (existsSync(resolve(cwd, name))) throw leadsOutError(name, cwd);
  if (inside.length === 0) return { sources: [], unknown: [] };
  const known = await listKnownFiles(cwd, runDir);
  const found = await Promise.all(
    inside.map(async (name) => ({ name, sources: await findSources(name.replace(/\/+$/, ''), { cwd, known }) })),
  );
  const isUnknown = ({ name, sources }: { name: string; sources?: unknown }) =>
    sources === undefined && looksLikeFile(name);
  return {
    sources: found.flatMap(({ sources = [] }) => sources),
    unknown: found.filter(isUnknown).map(({ name }) => name),
  };
}

function leadsOutError(name: string, cwd: string): HarnessError {
  return usageError(`@${name} leads out of ${cwd}: name files below it, or copy what the agent may see.`);
}

type NameLookup = { cwd: string; known: ReadonlyMap<string, string> };

/** Undefined for a word. Contract: `usage` for what is nearly a file here: nothing is sent without what was meant. */
async function findSources(name: string, { cwd, known }: NameLookup): Promise<SourceFile[] | undefined> {
  const here = await fileOrFolder(join(cwd, name), cwd);
  if (here === 'outside') throw leadsOutError(name, cwd);
  if (here === 'folder') {
    const inside = (await walkFiles(join(cwd, name))).filter((path) => !isHidden(path));
    return inside.map((path) => ({ name: `${name}/${path}`, path: join(cwd, name, path), inFolder: true }));
  }
  if (here === 'file') return [{ name, path: join(cwd, name) }];
  const names = [...known.keys()];
  const other = findNamedFile(name, '', names);
  const path = other === undefined ? undefined : known.get(other);
  if (other !== undefined && path !== undefined) return [{ name: other, path }];
  const near = findNearFile(name, names);
  if (near !== undefined)
    throw usageError(`No file or folder here is named @${name}. Did you mean @${near}? Nothing was sent.`);
  return undefined;
}

/** Follows links: one may lead out of the folder in which the person works. */
async function fileOrFolder(path: string, root: string): Promise<'file' | 'folder' | 'outside' | undefined> {
  const real = await realpath(path).catch(() => undefined);
  const home = await realpath(root).catch(() => root);
  if (real === undefined) return undefined;
  if (real !== home && !real.startsWith(home + sep)) return 'outside';
  const found = await lstat(real).catch(() => undefined);
  if (found?.isDirectory() === true) return 'folder';
  return found?.isFile() === true ? 'file' : undefined;
}

/** Maps the names that may be mentioned to their paths; files of a run have the names that the run uses. */
async function listKnownFiles(cwd: string, runDir: string | undefined): Promise<Map<string, string>> {
  const run =
    runDir === undefined ? [] : await Promise.all(READABLE_OF_RUNS.map(async (top) => listSources(runDir, top)));
  return new Map([...(await listSources(cwd, '')), ...run.flat()].map(({ name, path }) => [name, path]));
}

async function listSources(root: string, top: string): Promise<SourceFile[]> {
  const names = await listVisibleFiles(join(root, top));
  return names.map((path) => ({ name: join(top, path), path: join(root, top, path) }));
}

/** Lists a bounded number of files, because a project may lie in a home folder. */
export async function listVisibleFiles(root: string): Promise<string[]> {
  const [found, open]: [string[], string[]] = [[], ['']];
  for (let folder = open.shift(); folder !== undefined && found.length < MOST_NAMES; folder = open.shift()) {
    const items = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const item of items) {
      if (isHidden(item.name)) continue;
      const path = join(folder, item.name);
      if (item.isDirectory()) open.push(path);
      else if (item.isFile()) found.push(path);
    }
  }
  return found;
}

const isHidden = (path: string): boolean =>
  path.split('/').some((part) => part.startsWith('.') || part === 'node_modules');

async function findDroppedImages(text: string, cwd: string): Promise<SourceFile[]> {
  const named = [...text.matchAll(IMAGE_PATH)].map(
    ([, double, single, bare]) => double ?? single ?? (bare ?? '').replaceAll('\\ ', ' '),
  );
  const found = await Promise.all(
    [...new Set(named)].map(async (name): Promise<SourceFile[]> => {
      const path = resolve(cwd, name);
      return (await readImageType(path)) === undefined
        ? []
        : [{ name: relative(cwd, path).startsWith('..') ? basename(path) : relative(cwd, path), path }];
    }),
  );
  return found.flat();
}

async function readImageType(path: string): Promise<string | undefined> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    if (!(await file.stat()).isFile()) return undefined;
    const { buffer } = await file.read(Buffer.alloc(IMAGE_HEAD_BYTES), 0, IMAGE_HEAD_BYTES);
    return detectImageType(buffer);
  } finally {
    await file.close();
  }
}

const UNREADABLE = 'is no image (PNG, JPEG, GIF, WebP) and no text in UTF-8, UTF-16 or GB18030';

/** Of a folder that is named, a file that no agent can read is only mentioned. */
async function copyInto({ dir }: SessionFolder, { name, path, inFolder }: SourceFile, turn: number) {
  const to = `${UPLOADS}/t${turn}/${name}`;
  return onDisk(`Copying ${name}`, async () => {
    const place = join(dir, to);
    await makeFolders(dir, join(place, '..'));
    await copyFile(path, place);
    const bytes = await readFile(place);
    const isImage = detectImageType(bytes) !== undefined;
    const text = isImage ? '' : decodeText(bytes);
    const fault = isImage ? findImageFault(bytes) : undefined;
    const why = fault ?? (text === undefined && inFolder !== true ? UNREADABLE : undefined);
    if (why !== undefined) throw usageError(`${name} ${why}. Nothing was sent.`);
    return { path: to, isImage, content: text ?? `[This file ${UNREADABLE}, and cannot be read.]` };
  });
}

const WORKSPACE = 'workspace';
const UPLOADS = 'uploads';

/** Lists the folders that the agent of a session can see: its workspace, its person's uploads, and a run's files. */
export function listSessionMounts({ dir }: Pick<SessionFolder, 'dir'>, { run }: Pick<SessionTurns, 'run'>): Mount[] {
  return [
    { logical: WORKSPACE, physical: join(dir, WORKSPACE), writable: true },
    { logical: UPLOADS, physical: join(dir, UPLOADS), writable: false },
    ...(run === undefined ? [] : READABLE_OF_RUNS).map((name) => ({
      ...{ logical: name, physical: join(run?.dir ?? '', name), writable: false },
    })),
  ];
}
