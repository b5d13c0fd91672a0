/** Attaches files of the run that a question names as `@file`: long texts are cut, and all are framed as material. */
import { join } from 'node:path';
import { usageError } from '../../errors.ts';
import { nearestWord } from '../../evaluation/components/schema-issues.ts';
import { findNamedFile, looksLikeFile, parseMentions } from '../../gate/rules/mentions.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { ToolHost, Mount } from '../../ports/tools/tool-host.ts';

/** Folders that a reviewer may ask about and the agent may read; journal, books and transcripts are excluded. */
export const READABLE_OF_RUNS = ['scenario', 'design', 'execution_outputs', 'handoffs', 'gates'];
const MOST_FILES = 5;
const MOST_CHARS = 20_000;
/** Number of file names that are searched for a mentioned one. */
const MOST_NAMES = 20_000;

export type AttachedFiles = { names: string[]; text: string };

export function chatMounts(run: RunFolder): Mount[] {
  return READABLE_OF_RUNS.map((name) => ({ logical: name, physical: join(run.dir, name), writable: false }));
}

/** Contract: `usage` when a named file is missing or leads out of the run, before anything is paid. */
export async function attachFiles(
  { run, designDir, files }: { run: RunFolder; designDir: string; files: ToolHost },
  question: string,
  signal: AbortSignal,
): Promise<AttachedFiles> {
  const { inside, outside } = parseMentions(question);
  if (outside.length > 0)
    throw usageError(`@${outside[0] ?? ''} leads out of the run: name files as the run names them.`);
  const wanted = inside.filter(looksLikeFile);
  if (wanted.length > MOST_FILES)
    throw usageError(`A question takes ${MOST_FILES} files along; this one names ${wanted.length}.`);
  const folders = wanted.length === 0 ? [] : READABLE_OF_RUNS;
  const known = (await Promise.all(folders.map((folder) => run.list(folder)))).flat().slice(0, MOST_NAMES);
  const names = [...new Set(wanted.map((name) => resolveMention(name, designDir, known)))];
  const texts = await Promise.all(names.map((name) => readFramed(name, files, signal)));
  return { names, text: texts.join('\n') };
}

function resolveMention(name: string, designDir: string, known: readonly string[]): string {
  const found = findNamedFile(name, designDir, known);
  if (found !== undefined) return found;
  throw usageError(`No file of this run is named @${name}. ${suggestFile(name, designDir, known)}`);
}

function suggestFile(name: string, designDir: string, known: readonly string[]): string {
  const near = findNearFile(name, known);
  if (near !== undefined) return `Did you mean @${near}?`;
  const some = known.filter((path) => path.startsWith(`${designDir}/`)).slice(0, 4);
  return `There are, for example: ${some.map((path) => `@${path}`).join(', ')}.`;
}

/** Finds the file whose name differs by some letters alone; its ending is the same. */
export function findNearFile(name: string, known: readonly string[]): string | undefined {
  if (!looksLikeFile(name)) return undefined;
  const last = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  const ending = /\.\w+$/.exec(name)?.[0] ?? '';
  const near = nearestWord(last(name), [...new Set(known.filter((path) => path.endsWith(ending)).map(last))]);
  return near === undefined ? undefined : known.find((path) => last(path) === near);
}

/** Reads with the agent's own Read, so that no link or unusual name leads anywhere that the agent could not go. */
async function readFramed(name: string, files: ToolHost, signal: AbortSignal): Promise<string> {
  const { content, is_error } = await files.call('read', { file_path: name }, signal);
  if (is_error) throw usageError(`@${name} cannot go along: ${content.replace(/^read: /, '')}`);
  return frameFile(name, content);
}

/** Frames the text of a file as material; a long text is cut, but not in the middle of a character. */
export function frameFile(path: string, content: string): string {
  const shown = content.slice(0, MOST_CHARS).replace(/[\uD800-\uDBFF]$/, '');
  const more = content.length - shown.length;
  const text = more > 0 ? `${shown}\n[… ${more} more characters; read the rest]` : shown;
  // With these tags a file could end its own frame, or open a question in a reviewer's name.
  const safe = text.replace(/<(?=\s*\/?\s*(?:attached_file|reviewer_question))/gi, '&lt;');
  return `<attached_file path=${JSON.stringify(path)}>\n${safe}\n</attached_file>`;
}

const FRAME = /<attached_file path=("[^\n]*")>\n([\s\S]*?)\n<\/attached_file>/g;
const LEAST_CHARS = 200;

/** Replaces the text of a file that is shown already, word for word, by a reference to where it stands. */
export function referToShown(attached: string, shown: string): string {
  const before = [...shown.matchAll(FRAME)];
  return attached.replaceAll(FRAME, (whole, path: string, body: string) => {
    const same = before.find((one) => one[2] === body && body.length >= LEAST_CHARS);
    return same === undefined ? whole : `<attached_file path=${path} unchanged_since=${same[1] ?? '""'}/>`;
  });
}
