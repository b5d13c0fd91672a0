/** Stores an ended run as one file, `runs/<id>.tar.gz`, whose first entry lists its contents with digests. */
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { constants, gunzip, gunzipSync, gzip } from 'node:zlib';
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import type { AboutRun, ArchivedRun } from '../../ports/run-store.ts';
import { atomicWrite, syncFolder } from '../../disk/atomic-write.ts';
import { confinePath, makeFolders } from '../../disk/confine.ts';
import { getErrno, valueOnErrno } from '../../disk/disk-fault.ts';
import { parseFile, parseOrNone } from '../../disk/parse-file.ts';
import { sha256 } from '../../disk/sha256.ts';
import { readTar, writeTar } from '../../disk/tar.ts';
import { walkFiles } from '../../disk/walk-files.ts';
import { isRunId, type FoundRun } from './find-runs.ts';

const ENDING = '.tar.gz';

/** The path of a run folder's archive, whether or not it exists. */
export function getArchivePath(dir: string): string {
  return `${dir}${ENDING}`;
}

const HEAD = 'archive.json';
/** The compressed bytes at the beginning that a list needs; unpacked they are a few more. */
const HEAD_BYTES = 1 << 12;
/** The most archives open at the same time; a system may allow only a thousand files in all. */
const AT_ONCE = 32;
const UNREADABLE: AboutRun = { createdAt: '', endedAt: '', status: 'unreadable', round: 0, iteration: 0 };
const CATALOGUE = '.archived.json';
const [pack, unpack] = [promisify(gzip), promisify(gunzip)];

export const RunArchive = z.strictObject({
  version: z.literal(1),
  id: z.string(),
  scenario: z.string(),
  about: z.strictObject({
    createdAt: z.string(),
    endedAt: z.string(),
    status: z.string(),
    round: z.int(),
    iteration: z.int(),
    successRate: z.number().optional(),
  }),
  files: z.record(z.string(), z.string()),
});
type RunArchive = z.infer<typeof RunArchive>;

/** A cache of facts about archives, so that a list need not open them; safe to delete. */
export const ArchiveCatalogue = z.strictObject({
  version: z.literal(1),
  runs: z.record(z.string(), RunArchive.shape.about),
});
type Catalogue = z.infer<typeof ArchiveCatalogue>['runs'];

/** Contract: the folder is removed only when the file holds it byte for byte; when something changes meanwhile, it stays. */
export async function archiveRun({ id, scenario, dir }: FoundRun, about: AboutRun): Promise<void> {
  const contents = await readContents(dir);
  const files = Object.fromEntries(contents.map(({ path, bytes }) => [path, sha256(bytes)]));
  const head = { version: 1, id, scenario, about, files } satisfies RunArchive;
  const entries = [{ path: HEAD, bytes: Buffer.from(`${JSON.stringify(head)}\n`) }, ...contents];
  const named = entries.map(({ path, bytes }) => ({ path: `${id}/${path}`, bytes }));
  const file = getArchivePath(dir);
  await atomicWrite(file, await pack(writeTar(named, new Date(about.endedAt)), { level: 9 }));
  await readArchive(file);
  const away = join(dirname(dir), `.archived-${id}`);
  await rename(dir, away);
  const after = await readContents(away);
  const isSame = after.length === contents.length && after.every(({ path, bytes }) => files[path] === sha256(bytes));
  if (!isSame) {
    await rename(away, dir);
    await rm(file);
    throw new HarnessError('journal_conflict', `Run ${id} was written to while it was archived: it stays as it is.`);
  }
  await syncFolder(dirname(dir));
  await rm(away, { recursive: true });
}

async function readContents(dir: string): Promise<{ path: string; bytes: Buffer }[]> {
  const found = [];
  for (const path of await walkFiles(dir)) found.push({ path, bytes: await readFile(join(dir, path)) });
  return found;
}

/** Reads the whole archive unchanged. Contract: `data_corrupt` names the damaged file. */
export async function readArchive(
  file: string,
): Promise<{ head: RunArchive; files: { path: string; bytes: Uint8Array }[] }> {
  const tar = await unpack(await readFile(file)).catch((cause: unknown) => {
    if (getErrno(cause) === 'ENOENT') throw cause;
    throw createDamagedError(file, 'is not whole', cause);
  });
  const [first, ...rest] = readTar(tar, file);
  const head = parseFile(RunArchive, Buffer.from(first?.bytes ?? []).toString('utf8'), `${file}: ${HEAD}`);
  const files = rest.map(({ path, bytes }) => ({ path: path.slice(head.id.length + 1), bytes }));
  for (const { path, bytes } of files)
    if (head.files[path] !== sha256(bytes)) throw createDamagedError(file, `holds another ${path} than was archived`);
  const missing = Object.keys(head.files).length - files.length;
  if (missing !== 0) throw createDamagedError(file, `lacks ${missing} of its files`);
  return { head, files };
}

function createDamagedError(file: string, what: string, cause?: unknown): HarnessError {
  return new HarnessError('data_corrupt', `${file} ${what}. Restore it from a copy.`, { details: { file }, cause });
}

/** Restores the folder at `dir`, completely or not at all; the archive stays. */
export async function unpackRun(file: string, dir: string, write = atomicWrite): Promise<void> {
  const { files } = await readArchive(file);
  const draft = join(dirname(dir), `.unpacking-${basename(dir)}-${process.pid}`);
  await rm(draft, { recursive: true, force: true });
  const root = dirname(draft);
  try {
    for (const { path, bytes } of files) {
      const place = confinePath(draft, path);
      await makeFolders(root, dirname(place));
      await write(place, bytes);
    }
    // Another process may have restored it first.
    await rename(draft, dir).catch((error: unknown) => {
      if (!['ENOTEMPTY', 'EEXIST'].includes(getErrno(error) ?? '')) throw error;
    });
    await syncFolder(root);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Lists every archive of these scenario folders whose run has no folder. */
export async function findArchives(scenarioDirs: readonly string[]): Promise<ArchivedRun[]> {
  const found = await Promise.all(
    [...new Set(scenarioDirs)].map((dir) => archivesIn(join(dir, 'runs'), basename(dir))),
  );
  return found.flat();
}

async function archivesIn(runsDir: string, scenario: string): Promise<ArchivedRun[]> {
  const names = new Set(await readdir(runsDir).catch(() => []));
  const ids = [...names].flatMap((name) => (name.endsWith(ENDING) ? [name.slice(0, -ENDING.length)] : []));
  const archived = ids.filter((id) => isRunId(id) && !names.has(id));
  if (archived.length === 0) return [];
  const text = await valueOnErrno('ENOENT', '', readFile(join(runsDir, CATALOGUE), 'utf8'));
  const known = parseOrNone(ArchiveCatalogue, text)?.runs ?? {};
  const now: Catalogue = Object.fromEntries(archived.map((id) => [id, known[id] ?? UNREADABLE]));
  const left = archived.filter((id) => known[id] === undefined).values();
  const lookOn = async (): Promise<void> => {
    for (const id of left) now[id] = await readAbout(getArchivePath(join(runsDir, id)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lookOn));
  if (Object.keys(known).length !== archived.length || archived.some((id) => known[id] === undefined)) {
    const readable = Object.fromEntries(Object.entries(now).filter(([, about]) => about !== UNREADABLE));
    const text = `${JSON.stringify({ version: 1, runs: readable })}\n`;
    await atomicWrite(join(runsDir, CATALOGUE), text).catch(() => undefined);
  }
  return Object.entries(now).map(([id, about]) => {
    const dir = join(runsDir, id);
    return { id, scenario, dir, file: getArchivePath(dir), about };
  });
}

/** Reads only the file's beginning if that is enough. An unreadable archive is listed, and opening it says why. */
async function readAbout(file: string): Promise<AboutRun> {
  return readAboutEntry(file)
    .catch(async () => (await readArchive(file)).head.about)
    .catch(() => UNREADABLE);
}

/** Parses only the part before the digests in the first entry, since there may be thousands of them. */
async function readAboutEntry(file: string): Promise<AboutRun> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const begun = gunzipSync(buffer.subarray(0, bytesRead), { finishFlush: constants.Z_SYNC_FLUSH }).toString('utf8');
    const head = begun.slice(begun.indexOf('{"version"'), begun.indexOf(',"files":'));
    return parseFile(RunArchive, `${head},"files":{}}`, file).about;
  } finally {
    await handle.close();
  }
}
