/** Finds the project's folder and the shipped files, and prefers the project's own files. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { HarnessError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { packageFolder } from '../own-file.ts';

export type Home = {
  /** The folder that holds `scenarios/`, and may hold its own `agents/`, `prompts/`, `config/`. Absolute. */
  project: string;
  /** The folder of this package: `src/` in a checkout, `dist/` in a package, is directly below it. */
  shipped: string;
  /** Set where others can write: their files must not reach a model, so only shipped files are read. */
  distrusted?: string;
};

/** This file makes a folder a project, including all folders below it. */
export const MARKER = 'tandem.yaml';

/** Chooses the nearest folder upward that has the marker and is trusted, else the working directory. */
export function findHome(workingDirectory: string): Home {
  const start = resolve(workingDirectory);
  const project = [start, ...listParents(start)].find(
    (folder) => isMarked(folder) && explainDistrust(folder) === undefined,
  );
  const chosen = project ?? start;
  return { project: chosen, shipped: packageFolder(), ...omitUndefined({ distrusted: explainDistrust(chosen) }) };
}

/** Tells a person which project a command uses; empty where it is the obvious one. */
export function describeProject({ project, distrusted }: Home, workingDirectory: string): string[] {
  const start = resolve(workingDirectory);
  if (distrusted !== undefined)
    return [
      `project  ${project}: ${distrusted}, so its own agents/, prompts/ and config/ are not used (chmod o-w mends it)`,
    ];
  if (project !== start) return [`project  ${project} (its ${MARKER})`];
  if (existsSync(join(start, 'scenarios')) || isMarked(start)) return [];
  const other = listParents(start).find((folder) => isMarked(folder) || existsSync(join(folder, 'scenarios')));
  if (other === undefined) return [];
  const why = explainDistrust(other) ?? `it has no ${MARKER}`;
  return [`project  ${start}; not ${other}: ${why}`];
}

function isMarked(folder: string): boolean {
  return existsSync(join(folder, MARKER));
}

/** Lists the folders above, the nearest first. */
export function listParents(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [parent, ...listParents(parent)];
}

/** Undefined when only the owner's group and this user can change it. In a container, root works on others' folders. */
function explainDistrust(folder: string): string | undefined {
  const found = statSync(folder, { throwIfNoEntry: false });
  const me = process.getuid?.();
  if (found === undefined || me === undefined) return undefined;
  if ((found.mode & 0o002) !== 0) return 'everybody can write to it';
  return me === 0 || found.uid === me || found.uid === 0 ? undefined : 'it belongs to another user';
}

/** Returns whether a user other than this one and root can change the file: no program or sandbox may depend on such a file. */
export function isWritableByOthers(path: string): boolean {
  const me = process.getuid?.();
  const { uid, mode } = statSync(path);
  return me !== undefined && ((uid !== me && uid !== 0) || (mode & 0o002) !== 0);
}

/** Lists the folders whose files count; the first has priority. */
function listRoots({ project, shipped, distrusted }: Home): string[] {
  return distrusted === undefined ? [project, shipped] : [shipped];
}

/** The project's own file if it has one, else the shipped one; `not_found` names both places. */
export function findFile(home: Home, relative: string): string {
  const found = listRoots(home)
    .map((root) => join(root, relative))
    .find((place) => existsSync(place));
  if (found === undefined) {
    throw new HarnessError('not_found', `${relative}: not found in ${home.project}, nor among the shipped files.`, {
      details: { relative },
    });
  }
  return found;
}

/** Returns the path of the project's own file, where it has one. */
export function findOwnFile(home: Home, relative: string): string | undefined {
  const place = join(home.project, relative);
  return home.distrusted === undefined && home.project !== home.shipped && existsSync(place) ? place : undefined;
}

/** Lists the entries of a folder of the project and the package, for messages such as "there are: …". */
export function listNames(home: Home, relative: string): string[] {
  const names = listRoots(home).flatMap((root) => {
    const folder = join(root, relative);
    // Workers and operating systems leave hidden folders of their own there.
    return existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : [];
  });
  return [...new Set(names)].toSorted();
}
