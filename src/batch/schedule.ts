/** A batch that begins at times of a cron pattern: `batches/.schedules/<id>.json` says what and when, and the queue only wakes it. */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createExclusive } from '../disk/atomic-write.ts';
import { onDisk, valueOnErrno } from '../disk/disk-fault.ts';
import { parseFile } from '../disk/parse-file.ts';
import { sha256 } from '../disk/sha256.ts';
import { HarnessError } from '../errors.ts';
import { batchesDir } from './batch.ts';

/** Of a batch that it begins, whose id is this one with the time behind it. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$/;

export const Schedule = z.strictObject({
  version: z.literal(1),
  id: z.string().regex(ID),
  cron: z.string(),
  timeZone: z.string(),
  /** What follows `tandem batch`, without what says when. */
  args: z.array(z.string()),
  actor: z.string(),
  createdAt: z.string(),
});
export type Schedule = z.infer<typeof Schedule>;

/** The same command line twice is one schedule. */
export function scheduleId({ cron, timeZone, args }: Pick<Schedule, 'cron' | 'timeZone' | 'args'>): string {
  return `cron-${sha256(JSON.stringify([cron, timeZone, args])).slice(0, 8)}`;
}

/** `nightly-20261124-020000`, in UTC: whoever begins it, it is one batch. */
export function batchAt(id: string, due: Date): string {
  const [day = '', time = ''] = due.toISOString().slice(0, 19).split('T');
  return `${id}-${day.replaceAll('-', '')}-${time.replaceAll(':', '')}`;
}

const placeOf = (project: string): string => join(batchesDir(project), '.schedules');

/** False when the very same one is there. Contract: `usage` for another one of that name. */
export async function addSchedule(project: string, schedule: Schedule): Promise<boolean> {
  if (!ID.test(schedule.id))
    throw new HarnessError(
      'usage',
      `--id "${schedule.id}": of a schedule it has letters, digits and dashes, at most 60.`,
    );
  const isNew = await onDisk(`Writing schedule ${schedule.id}`, async () => {
    await mkdir(placeOf(project), { recursive: true });
    return createExclusive(join(placeOf(project), `${schedule.id}.json`), `${JSON.stringify(schedule, null, 2)}\n`);
  });
  if (isNew) return true;
  const there = await findSchedule(project, schedule.id);
  if (there !== undefined && scheduleId(there) === scheduleId(schedule)) return false;
  const remove = `tandem queue unschedule ${schedule.id}`;
  throw new HarnessError(
    'usage',
    `There is another schedule ${schedule.id}: take it away first (${remove}), or give this one another --id.`,
  );
}

export async function findSchedule(project: string, id: string): Promise<Schedule | undefined> {
  if (!ID.test(id)) return undefined;
  const path = join(placeOf(project), `${id}.json`);
  const text = await onDisk(`Reading schedule ${id}`, () => valueOnErrno('ENOENT', undefined, readFile(path, 'utf8')));
  return text === undefined ? undefined : parseFile(Schedule, text, `batches/.schedules/${id}.json`);
}

export async function allSchedules(project: string): Promise<Schedule[]> {
  const names = await onDisk('Listing the schedules', () => valueOnErrno('ENOENT', [], readdir(placeOf(project))));
  const ids = names.flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : [])).toSorted();
  const found = await Promise.all(ids.map((id) => findSchedule(project, id)));
  return found.filter((one) => one !== undefined);
}

/** False when there is none. */
export async function removeSchedule(project: string, id: string): Promise<boolean> {
  if ((await findSchedule(project, id)) === undefined) return false;
  await onDisk(`Removing schedule ${id}`, () => rm(join(placeOf(project), `${id}.json`), { force: true }));
  return true;
}
