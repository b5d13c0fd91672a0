/** Finds `CODE_LAW.md` of a workspace in any case, and reads it again only when it has changed (S1.2). */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Policy } from '../context/policy.ts';
import { decodeText } from '../disk/decode-text.ts';
import { estimateText } from '../transcript/tokens.ts';

export type ProjectRules = (signal: AbortSignal) => Promise<{ file: string; text: string } | undefined>;

/** Upper limit for the text; the policy caps what is sent (`lawTokens`), and that is measured before every call. */
const MOST_CHARS = 1_000_000;

/** Contract: a missing or unreadable file is no law; of two names that differ in case only, the first counts. */
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
    const text = (decodeText(bytes) ?? '').slice(0, MOST_CHARS);
    known = { file, at: now.mtimeMs, size: now.size, text };
    return { file, text };
  };
}

/** Warns a person at the start of a run that agents get less of the law than the file says. */
export function formatLawNotice(
  { file, bytes }: { file: string; bytes: Uint8Array },
  { name, layers: { law, lawTokens } }: Policy,
): string | undefined {
  if (law === undefined)
    return `${file} has no effect: context policy ${name} has no \`layers: { law: CODE_LAW.md }\`.`;
  const tokens = estimateText(decodeText(bytes) ?? '');
  if (tokens <= lawTokens) return undefined;
  return `${file} has about ${tokens} tokens, and agents get its first ${lawTokens} tokens (lawTokens in config/context/${name}.yaml).`;
}
