/** Where this package and its own files lie: the same code stands in `src/` in a checkout and, built, flat in `dist/`. */
import { fileURLToPath } from 'node:url';

const { url } = import.meta;
/** A checkout runs its sources as they are. */
export const isBuilt = !url.endsWith('.ts');

/** Absolute path of a file that is started by its path; `name` is below `src/`, without its ending. */
export function ownFile(name: string, ending: string = isBuilt ? '.js' : '.ts'): string {
  return fileURLToPath(new URL(`./${name}${ending}`, url));
}

/** Absolute path of the folder of this package. */
export function packageFolder(): string {
  return fileURLToPath(new URL('..', url)).replace(/[\\/]$/, '');
}
