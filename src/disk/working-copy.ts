/** Marks a folder of working copies: its runs belong to a store and are no run folders of their own. */
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { HarnessError } from '../errors.ts';
import { parseOrNone } from './parse-file.ts';

export const WORKING_COPY = 'working-copy.json';

/** The file lies in the folder that holds `scenarios/<name>/runs/<id>`. */
const Mark = z.looseObject({ home: z.string() });
const MAX_LEVELS_UP = 4;

/** Returns the store whose working copy this run or scenario folder is; undefined if it is none. */
export async function findCopyHome(path: string): Promise<string | undefined> {
  let folder = resolve(path);
  for (let up = 0; up < MAX_LEVELS_UP; up += 1) {
    folder = dirname(folder);
    const text = await readFile(join(folder, WORKING_COPY), 'utf8').catch(() => undefined);
    const mark = text === undefined ? undefined : parseOrNone(Mark, text);
    if (mark !== undefined) return mark.home;
  }
  return undefined;
}

/** Throws `usage` for a working copy: a run continued there would differ from the run in the store. */
export async function refuseWorkingCopy(runDir: string): Promise<void> {
  const home = await findCopyHome(runDir);
  if (home === undefined) return;
  const message = `${runDir} is a working copy of a run in ${home}: set TANDEM_STORE to that store, and name the run by its id.`;
  throw new HarnessError('usage', message, { details: { dir: runDir } });
}
