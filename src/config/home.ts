/** Where shipped files lie and where a project's own ones win over them. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HarnessError } from '../errors.ts';
import { packageFolder } from '../own-file.ts';

export type Home = {
  /** The folder that holds `scenarios/`, and may hold its own `agents/`, `prompts/`, `config/`. Absolute. */
  project: string;
  /** The folder of this package: `src/` in a checkout, `dist/` in a package, is directly below it. */
  shipped: string;
};

/** The project is the nearest folder upward that has `scenarios/`, else the working directory. */
export function findHome(workingDirectory: string): Home {
  return {
    project: nearestProject(resolve(workingDirectory)) ?? resolve(workingDirectory),
    shipped: packageFolder(),
  };
}

function nearestProject(start: string): string | undefined {
  for (let folder = start; ; folder = resolve(folder, '..')) {
    if (existsSync(join(folder, 'scenarios'))) return folder;
    if (resolve(folder, '..') === folder) return undefined;
  }
}

/** The project's own file if it has one, else the shipped one; `not_found` names both places. */
export function findFile(home: Home, relative: string): string {
  const places = [join(home.project, relative), join(home.shipped, relative)];
  const found = places.find((place) => existsSync(place));
  if (found === undefined) {
    throw new HarnessError('not_found', `${relative}: not found in ${home.project}, nor among the shipped files.`, {
      details: { relative },
    });
  }
  return found;
}

/** Names of the entries in a folder of the project or the package, for messages such as "there are: …". */
export function namesIn(home: Home, relative: string): string[] {
  const names = [home.project, home.shipped].flatMap((root) => {
    const folder = join(root, relative);
    return existsSync(folder) ? readdirSync(folder) : [];
  });
  return [...new Set(names)].toSorted();
}
