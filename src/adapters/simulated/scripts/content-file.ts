/** Finds the file of a simulation folder that a call's `content_file` names, never one outside of the folder. */
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { describeError } from '../../../errors.ts';

export type ContentFile = { path: string; fault?: undefined } | { path?: undefined; fault: string };

/** Resolves symbolic links first, so that none leads out of the folder. */
export function findContentFile(dir: string, name: string): ContentFile {
  try {
    const root = realpathSync(dir);
    const path = realpathSync(join(root, name));
    const inside = relative(root, path);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
      return { fault: `${name} lies outside of the simulation folder` };
    }
    return statSync(path).isFile() ? { path } : { fault: `${name} is not a file` };
  } catch (error) {
    return { fault: `${name} cannot be read: ${describeError(error)}` };
  }
}
