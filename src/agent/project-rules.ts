/** `CODE_LAW.md` of a workspace: found whatever its case, read again only when it changed (S1.2). */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

export type ProjectRules = (signal: AbortSignal) => Promise<{ file: string; text: string } | undefined>;

/** Only this much of the file is sent, because every call pays for it again. */
const MOST_BYTES = 1_000_000;

/** Contract: a file that is not there, or cannot be read, is no law; two that differ in case only: the first by name. */
export function buildProjectRules(folder: string, name: string): ProjectRules {
  let known: { file: string; at: number; size: number; text: string } | undefined;
  return async (signal) => {
    signal.throwIfAborted();
    const names = await readdir(folder).catch(() => []);
    const file = names.filter((one) => one.toLowerCase() === name.toLowerCase()).toSorted()[0];
    if (file === undefined) return undefined;
    const path = join(folder, file);
    const now = await stat(path).catch(() => undefined);
    if (now?.isFile() !== true) return undefined;
    if (known?.file === file && known.at === now.mtimeMs && known.size === now.size) return { file, text: known.text };
    const bytes = await readFile(path).catch(() => undefined);
    if (bytes === undefined) return undefined;
    const text = bytes.subarray(0, MOST_BYTES).toString('utf8');
    known = { file, at: now.mtimeMs, size: now.size, text };
    return { file, text };
  };
}
