/** What workers that share the trials of an attempt leave in its folder: records next to the paid calls, and trials handed back. */
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createExclusive } from '../disk/atomic-write.ts';
import { guardAttempt } from '../disk/attempt-folder.ts';
import { confine, makeFolders } from '../disk/confine.ts';
import { onDisk, valueOnErrno } from '../disk/disk-fault.ts';
import type { Attempt } from '../ports/artifacts.ts';

/** As `run-trial.ts` names them in the memory of the attempt. */
const RECORDS = 'turns/trials';
const HANDED_BACK = 'handed-back';

type Place = Pick<Attempt, 'step' | 'dir'>;

/** Trials that have ended, by how they ended. Contract: `attempt_lost` after a takeover. */
export async function closedTrials({ step, dir }: Place): Promise<Map<string, 'played' | 'handed-back'>> {
  return onDisk(`Looking for the trials of ${step}`, async () => {
    const [played, back] = [await namesIn(join(dir, RECORDS)), await namesIn(join(dir, HANDED_BACK))];
    if (played.length + back.length === 0) await guardAttempt(step, dir, () => stat(dir));
    return new Map([
      ...back.map((name) => [name, 'handed-back'] as const),
      ...played.map((name) => [name, 'played'] as const),
    ]);
  });
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await valueOnErrno('ENOENT', [], readdir(folder));
  return names.flatMap((name) => (name.endsWith('.json') && !name.startsWith('.') ? [name.slice(0, -5)] : []));
}

/**
 * Writes the record of a trial; a later record of the same trial is dropped. By path, so that after a takeover it cannot get
 * into the new attempt: `attempt_lost`.
 */
export async function commitTrial({ step, dir }: Place, name: string, record: unknown): Promise<void> {
  await onDisk(`Committing trial ${name} of ${step}`, () =>
    guardAttempt(step, dir, async () => {
      const path = confine(join(dir, RECORDS), `${name}.json`);
      await makeFolders(dir, dirname(path));
      await createExclusive(path, `${JSON.stringify(record, null, 2)}\n`);
    }),
  );
}

/** The worker that holds the evaluation plays the trial itself, and meets the same obstacle there. */
export async function returnTrial({ step, dir }: Place, name: string, why: string): Promise<void> {
  await onDisk(`Handing ${name} of ${step} back`, () =>
    guardAttempt(step, dir, async () => {
      const path = confine(join(dir, HANDED_BACK), `${name}.json`);
      await makeFolders(dir, dirname(path));
      await createExclusive(path, `${JSON.stringify({ version: 1, why })}\n`);
    }),
  );
}

/** What was handed back to an earlier holder is shared out again. */
export async function forgetReturnedTrial({ dir }: Place): Promise<void> {
  await rm(join(dir, HANDED_BACK), { recursive: true, force: true });
}
