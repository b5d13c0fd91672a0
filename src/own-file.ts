/** Where this package and its own files lie: the same code is in `src/` in a checkout and, built, flat in `dist/`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { url } = import.meta;
/** A checkout runs its sources as they are. */
export const isBuilt = !url.endsWith('.ts');

/** Absolute path of a file that is started by its path; `name` is below `src/`, without its ending. */
export function ownFile(name: string, ending: string = isBuilt ? '.js' : '.ts'): string {
  return fileURLToPath(new URL(`./${name}${ending}`, url));
}

/** Reads a file of another language that lies beside the code `from`. The build puts the text in the place of the call. */
export function readOwnText(path: string, from: string): string {
  return readFileSync(new URL(path, from), 'utf8');
}

/** Absolute path of the folder of this package. */
export function packageFolder(): string {
  return fileURLToPath(new URL('..', url)).replace(/[\\/]$/, '');
}

/** As `package.json` has it: `0.1.0`. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as { version: string }).version;
}
