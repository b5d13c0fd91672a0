/** Finds programs of this machine: in absolute folders of PATH only, so that no project can slip its own one in. */
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Absolute path of the first one, or undefined. */
export function findProgram(name: string): string | undefined {
  return findPrograms(name)[0];
}

/** All of that name, in the order of PATH, then the usual places. */
export function findPrograms(name: string): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  const all = [...folders, '/usr/local/bin', '/usr/bin', '/bin'].map((folder) => join(folder, name));
  return [...new Set(all)].filter(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (notThere) {
    void notThere;
    return false;
  }
}
