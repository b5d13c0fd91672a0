/** A live try at one step: its folder, and what it remembers of the calls that were paid for. */
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import type { Attempt } from '../../ports/artifacts.ts';
import { atomicWrite } from './atomic-write.ts';
import { confine, makeFolders } from './confine.ts';
import { errnoOf, onDisk, unless } from './disk-fault.ts';
import { parseJson } from './parse-file.ts';

/** Every write goes by path: after a takeover the path is gone, and so is the right to write. */
export function createAttempt(step: string, dir: string, target: string): Attempt {
  const turns = join(dir, 'turns');
  return {
    step,
    dir,
    out: join(dir, 'out'),
    target,
    recall: (name) =>
      onDisk(`Recalling ${name} of ${step}`, async () => {
        const text = await unless('ENOENT', undefined, readFile(confine(turns, `${name}.json`), 'utf8'));
        if (text !== undefined) return parseJson(text, `turns/${name}.json of ${step}`);
        // Nothing there, or nothing there any more? The second must not look like a call that was never paid for.
        await whileOurs(step, dir, () => stat(dir));
        return undefined;
      }),
    remember: (name, value) =>
      onDisk(`Remembering ${name} of ${step}`, () => {
        const path = confine(turns, `${name}.json`);
        return whileOurs(step, dir, async () => {
          await makeFolders(dir, dirname(path));
          await atomicWrite(path, `${JSON.stringify(value, null, 2)}\n`);
        });
      }),
  };
}

/** Runs `work`; when the attempt's folder has gone meanwhile, its failure is `attempt_lost`. */
export async function whileOurs<T>(step: string, dir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' || (await unless('ENOENT', undefined, stat(dir))) !== undefined) throw error;
    const message = `Another worker took ${step} over: this attempt ends here, and nothing of it is lost.`;
    throw new HarnessError('attempt_lost', message, { details: { step, dir }, cause: error });
  }
}
