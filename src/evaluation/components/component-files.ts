/** The files of one components folder: only plain ones of the right name and size are read. */
import { readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isPermissionError } from '../../disk/disk-fault.ts';
import { describeError, HarnessError } from '../../errors.ts';
import { parseJson, parseStrictJson } from '../../parse-json.ts';
import { SERVED_ENDING } from '../../scenario/component.ts';
import { jsonFault } from '../../scenario/json/json-value.ts';
import type { Layer, Problem } from '../../scenario/result.ts';
import { createProblem } from '../../scenario/attribution/problem-code.ts';

export type ComponentFile = { path: string; name: string };

/** Which files of a components folder are read, and the layer that owns them. */
export type ComponentFolder = {
  folder: string;
  endings: readonly string[];
  layer: Layer;
  maxBytes?: number;
  most?: number;
};

/** Each file costs time in proofs and trials; a folder with more is a mistake, or holds several scenarios. */
const MAX_FILES = 10_000;
const MAX_BYTES = 1024 * 1024;

/** JavaScript, TypeScript with erasable types, Python. */
export const MODULE_ENDINGS = ['.mjs', '.mts', '.ts', '.py'];
/** A tool may also be one of a server. */
export const TOOL_ENDINGS = [...MODULE_ENDINGS, SERVED_ENDING];

/** Files of `dir/folder` that end in one of `endings`, by name; all else but sub-folders and dot-files is a problem. */
export async function listComponentFiles(
  dir: string,
  { folder, endings, layer, maxBytes = MAX_BYTES, most = MAX_FILES }: ComponentFolder,
): Promise<{ files: ComponentFile[]; problems: Problem[] }> {
  const entries = await readdir(join(dir, folder), { withFileTypes: true }).catch((error: unknown) => {
    if (!isPermissionError(error)) return [];
    const message = `${join(dir, folder)}: cannot be read. This user has no right to read it.`;
    throw new HarnessError('not_found', message, { cause: error });
  });
  const plain = entries.filter((entry) => entry.isFile());
  const sizes = new Map(await inSlices(plain, ({ name }) => [name, statSync(join(dir, folder, name)).size]));
  const files = new Map<string, ComponentFile>();
  let surplus = 0;
  const problems: Problem[] = [];
  const refuse = (path: string, message: string): void =>
    void problems.push({ ...createProblem('file-refused', path, `${path}: ${message}`), layer });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${folder}/${entry.name}`;
    if (entry.name.startsWith('.') || entry.isDirectory()) continue;
    const ending = endings.find((known) => entry.name.endsWith(known));
    const name = entry.name.slice(0, -(ending ?? '').length);
    const twin = files.get(name);
    const size = sizes.get(entry.name) ?? 0;
    if (!entry.isFile()) refuse(path, 'it is a link or no plain file; only plain files are read');
    else if (ending === undefined) refuse(path, `only ${endings.join(', ')} files belong here`);
    else if (twin !== undefined) refuse(path, `${twin.path} has the same name; keep one of them`);
    else if (files.size >= most) surplus += 1;
    else if (size > maxBytes) refuse(path, `it is larger than ${maxBytes} bytes (${size}): ${remedyFor(folder)}`);
    else files.set(name, { path, name });
  }
  if (surplus > 0)
    refuse(
      folder,
      `it holds ${most + surplus} files, and at most ${most} are read: move some into another scenario (tandem batch runs several together)`,
    );
  return { files: [...files.values()], problems };
}

/** Longest time that reading may block the event loop. */
const SLICE_MS = 20;

/** Reads hundreds of small files in time slices, because handing each to another thread takes several times as long. */
async function inSlices<Item, Found>(items: readonly Item[], look: (item: Item) => Found): Promise<Found[]> {
  const found: Found[] = [];
  let since = performance.now();
  for (const item of items) {
    found.push(look(item));
    if (performance.now() - since < SLICE_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  return found;
}

function remedyFor(folder: string): string {
  return folder === 'samples'
    ? 'put its world into samples/worlds/ and name it as its base'
    : 'cut it down to what is needed';
}

export type ReadJson =
  | { ok: true; value: unknown; chars: number; ambiguous?: { fault: string; line: number } }
  | { ok: false; fault: string; line?: number; chars?: number };

/** The JSON in each file, or what is wrong with the file. */
export async function readJsonFiles(
  dir: string,
  files: readonly ComponentFile[],
): Promise<(ReadJson & ComponentFile)[]> {
  return inSlices(files, (file) => ({ ...file, ...readJson(join(dir, file.path)) }));
}

/** Finds keys and numbers that are lost or changed by reading; a run whose rules know nothing of them goes on. */
export function findAmbiguities(files: readonly (ReadJson & ComponentFile)[]): Problem[] {
  return files.flatMap(({ path, name, ...read }) => {
    if (!read.ok || read.ambiguous === undefined) return [];
    const { fault, line } = read.ambiguous;
    return [createProblem('json-ambiguous', name, `${path}:${line}: ${fault}`)];
  });
}

function readJson(path: string): ReadJson {
  try {
    const text = readFileSync(path, 'utf8');
    const [strict, chars] = [parseStrictJson(text), text.length];
    if (strict.ok) return { ...strict, chars };
    const { fault, line } = strict;
    const value = parseJson(text);
    if (value === undefined || jsonFault(value) !== undefined) return { ok: false, fault, line, chars };
    return { ok: true, value, chars, ambiguous: { fault, line } };
  } catch (error) {
    return { ok: false, fault: `it cannot be read: ${describeError(error)}` };
  }
}
