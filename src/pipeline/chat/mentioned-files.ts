/** `@file` in a question: the text of a file of the run goes along with it, cut where it is long, framed as material. */
import { join } from 'node:path';
import { usageError } from '../../errors.ts';
import { nearestWord } from '../../evaluation/components/nearest-word.ts';
import { fileNamed, looksLikeFile, mentionsIn } from '../../gate/rules/mentions.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { ToolHost } from '../../ports/tools/tool-host.ts';
import type { Mount } from '../../ports/tools/tool-host.ts';

/** What a reviewer may ask about, and the agent may look at; the journal, the books and the transcripts are not in it. */
export const READABLE_OF_RUNS = ['scenario', 'design', 'execution_outputs', 'handoffs', 'gates'];
const MOST_FILES = 5;
const MOST_CHARS = 20_000;
/** A name is looked for among so many files. */
const MOST_NAMES = 20_000;

export type AttachedFiles = { names: string[]; text: string };

export function chatMounts(run: RunFolder): Mount[] {
  return READABLE_OF_RUNS.map((name) => ({ logical: name, physical: join(run.dir, name), writable: false }));
}

/** Contract: `usage` when a file that is named is not there or leads out of the run; nothing was paid then. */
export async function attachFiles(
  { run, designDir, files }: { run: RunFolder; designDir: string; files: ToolHost },
  question: string,
  signal: AbortSignal,
): Promise<AttachedFiles> {
  const { inside, outside } = mentionsIn(question);
  if (outside.length > 0)
    throw usageError(`@${outside[0] ?? ''} leads out of the run: name files as the run names them.`);
  const wanted = inside.filter(looksLikeFile);
  if (wanted.length > MOST_FILES)
    throw usageError(`A question takes ${MOST_FILES} files along; this one names ${wanted.length}.`);
  const known = wanted.length === 0 ? [] : await namesOf(run);
  const names = [...new Set(wanted.map((name) => resolve(name, designDir, known)))];
  const texts = await Promise.all(names.map((name) => framed(name, files, signal)));
  return { names, text: texts.join('\n') };
}

function resolve(name: string, designDir: string, known: readonly string[]): string {
  const found = fileNamed(name, designDir, known);
  if (found !== undefined) return found;
  throw usageError(`No file of this run is named @${name}. ${suggestion(name, designDir, known)}`);
}

function suggestion(name: string, designDir: string, known: readonly string[]): string {
  const last = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  const near = nearestWord(last(name), [...new Set(known.map(last))]);
  if (near !== undefined) return `Did you mean @${resolve(near, designDir, known)}?`;
  const some = known.filter((path) => path.startsWith(`${designDir}/`)).slice(0, 4);
  return `There are, for example: ${some.map((path) => `@${path}`).join(', ')}.`;
}

async function namesOf(run: RunFolder): Promise<string[]> {
  const names = await Promise.all(READABLE_OF_RUNS.map((folder) => run.list(folder)));
  return names.flat().slice(0, MOST_NAMES);
}

/** By the agent's own Read, so that no link and no strange name leads anywhere that the agent could not go. */
async function framed(name: string, files: ToolHost, signal: AbortSignal): Promise<string> {
  const { content, is_error } = await files.call('read', { file_path: name }, signal);
  if (is_error) throw usageError(`@${name} cannot go along: ${content.replace(/^read: /, '')}`);
  return framedFile(name, content);
}

/** The text of a file as material, cut where it is long and not through the middle of a character. */
export function framedFile(path: string, content: string): string {
  const shown = content.slice(0, MOST_CHARS).replace(/[\uD800-\uDBFF]$/, '');
  const more = content.length - shown.length;
  const text = more > 0 ? `${shown}\n[… ${more} more characters; read the rest]` : shown;
  return `<attached_file path=${JSON.stringify(path)}>\n${disarmed(text)}\n</attached_file>`;
}

/** No file may end its own frame, or open a question in a reviewer's name. */
function disarmed(text: string): string {
  return text.replace(/<(?=\s*\/?\s*(?:attached_file|reviewer_question))/gi, '&lt;');
}
