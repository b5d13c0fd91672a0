/** The mark of a process that carries a run on, by which everybody sees whether anything is running it. */
import type { RunFolder } from '../ports/run-store.ts';
import { randomBytes } from 'node:crypto';
import { listMarks, openLiveMark } from '../disk/live-mark.ts';
import type { RunCarrier } from '../report/run/next-step.ts';
import { isHandedOver } from './hand-over.ts';

const FOLDER = 'carrying';

/** Marks this process as the one that carries the run on, until the returned function is called or it dies. */
export async function markWork({ shared }: Pick<RunFolder, 'shared'>): Promise<() => Promise<void>> {
  for (const { name, alive } of await listMarks(shared, FOLDER))
    if (!alive) await shared.remove(`${FOLDER}/${name}.json`);
  const mark = await openLiveMark(shared, `${FOLDER}/${process.pid}-${randomBytes(4).toString('hex')}.json`);
  // A mark that cannot be removed expires; the work that is done must not be lost for it.
  return () => mark.end().catch(() => undefined);
}

/** Finds what carries the run on now; whether a worker is there is known above. */
export async function findCarrier(run: Pick<RunFolder, 'shared' | 'read'>): Promise<RunCarrier> {
  if (await isHandedOver(run)) return 'workers';
  return (await listMarks(run.shared, FOLDER)).some(({ alive }) => alive) ? 'process' : 'nothing';
}
