/** How this program is called from the shell that shows its words, so that a printed command can be pasted there. */
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { packageFolder } from '../own-file.ts';
import { shellQuote } from '../report/text/sanitise.ts';

type Shell = { env: Readonly<Record<string, string | undefined>>; cwd: string };

/** `tandem` where it is on the PATH, `npx tandem` where npx finds it, else the file itself. */
export function shellCommand({ env, cwd }: Shell, program: string = join(packageFolder(), 'bin/tandem.js')): string {
  const own = real(program);
  const isOwn = (place: string): boolean => own !== undefined && real(place) === own;
  // npm puts these folders first for its children; the shell that called it has none of them.
  const path = (env['PATH'] ?? '').split(delimiter).filter((folder) => !/node_modules[\\/]\.bin[\\/]?$/.test(folder));
  if (path.some((folder) => folder !== '' && isOwn(join(folder, 'tandem')))) return 'tandem';
  const folder = [cwd, ...above(cwd)].find((one) => existsSync(join(one, 'package.json')));
  if (folder !== undefined)
    if (isOwn(join(folder, 'node_modules/.bin/tandem')) || isOwn(join(folder, 'bin/tandem.js'))) return 'npx tandem';
  return /[\\/]_npx[\\/]/.test(program) ? 'npx tandem-harness' : `node ${shellQuote(program)}`;
}

/** Commands are written `tandem …` in messages and files; a line that is one JSON value stays as it is. */
export function pasteable(text: string, command: string, names: readonly string[]): string {
  if (command === 'tandem' || /^\{"|^\[[{"\]]/.test(text)) return text;
  const written = new RegExp(`(?<![\\w./@-])(?<!npx )tandem(?= (?:${names.join('|')})(?![\\w-]))`, 'g');
  return text.replace(written, () => command);
}

function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // Nothing is there, or nothing that we may see.
    return undefined;
  }
}

function above(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [parent, ...above(parent)];
}
