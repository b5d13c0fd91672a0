/** Finds programs of this machine in absolute folders of PATH only, so that no project can slip in its own. */
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Returns the absolute path of the first match, or undefined. */
export function findProgram(name: string): string | undefined {
  return findPrograms(name)[0];
}

/** Returns all programs of that name: in the order of PATH, then in the usual folders. */
export function findPrograms(name: string): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  const all = [...folders, '/usr/local/bin', '/usr/bin', '/bin'].map((folder) => join(folder, name));
  return [...new Set(all)].filter(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
