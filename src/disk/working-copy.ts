/** The mark of a folder with working copies: what lies there belongs to a store, and is not a run folder of its own. */
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { HarnessError } from '../errors.ts';
import { parseOrNone } from './parse-file.ts';

export const WORKING_COPY = 'working-copy.json';

/** In the folder that holds `scenarios/<name>/runs/<id>`. */
const Mark = z.looseObject({ home: z.string() });
const DEPTH = 4;

/** The store whose working copy a run or scenario folder is; undefined for one that is no working copy. */
export async function homeOfCopy(path: string): Promise<string | undefined> {
  let folder = resolve(path);
  for (let up = 0; up < DEPTH; up += 1) {
    folder = dirname(folder);
    const text = await readFile(join(folder, WORKING_COPY), 'utf8').catch(() => undefined);
    const mark = text === undefined ? undefined : parseOrNone(Mark, text);
    if (mark !== undefined) return mark.home;
  }
  return undefined;
}

/** A run that was carried on in a working copy would be another run than the one in the store. */
export async function refuseWorkingCopy(runDir: string): Promise<void> {
  const home = await homeOfCopy(runDir);
  if (home === undefined) return;
  const message = `${runDir} is a working copy of a run in ${home}: set TANDEM_STORE to that store, and name the run by its id.`;
  throw new HarnessError('usage', message, { details: { dir: runDir } });
}
