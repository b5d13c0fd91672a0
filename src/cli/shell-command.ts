/** Finds how this shell can call this program, so that a printed command can be pasted there. */
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { listParents } from '../config/home.ts';
import { packageFolder } from '../own-file.ts';
import { shellQuote } from '../report/text/sanitise.ts';

type ShellEnvironment = { env: Readonly<Record<string, string | undefined>>; cwd: string };

/** Returns `tandem` when it is on the PATH, `npx tandem` when npx finds it, and otherwise the path of the file. */
export function findShellCommand(
  { env, cwd }: ShellEnvironment,
  program: string = join(packageFolder(), 'bin/tandem.js'),
): string {
  const own = resolveRealPath(program);
  const isOwn = (place: string): boolean => own !== undefined && resolveRealPath(place) === own;
  // npm adds these folders to the PATH of its children; the shell that called npm does not have them.
  const path = (env['PATH'] ?? '').split(delimiter).filter((folder) => !/node_modules[\\/]\.bin[\\/]?$/.test(folder));
  if (path.some((folder) => folder !== '' && isOwn(join(folder, 'tandem')))) return 'tandem';
  const folder = [cwd, ...listParents(cwd)].find((one) => existsSync(join(one, 'package.json')));
  if (folder !== undefined)
    if (isOwn(join(folder, 'node_modules/.bin/tandem')) || isOwn(join(folder, 'bin/tandem.js'))) return 'npx tandem';
  return /[\\/]_npx[\\/]/.test(program) ? 'npx tandem-harness' : `node ${shellQuote(program)}`;
}

/** Replaces `tandem …` in messages by the command of this shell; a line that is one JSON value stays as it is. */
export function toPasteable(text: string, command: string, names: readonly string[]): string {
  if (command === 'tandem' || !text.includes('tandem ') || /^\{"|^\[[{"\]]/.test(text)) return text;
  const written = new RegExp(`(?<![\\w./@-])(?<!npx )tandem(?= (?:${names.join('|')})(?![\\w-]))`, 'g');
  return text.replace(written, () => command);
}

function resolveRealPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // The path does not exist, or we may not see it.
    return undefined;
  }
}
