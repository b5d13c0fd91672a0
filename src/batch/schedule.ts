/** A batch that begins at times of a cron pattern: `batches/.schedules/<id>.json` says what and when, and the queue only wakes it. */
import { z } from 'zod';
import { parseFile } from '../disk/parse-file.ts';
import { sha256 } from '../disk/sha256.ts';
import { usageError } from '../errors.ts';
import type { SharedFiles } from '../ports/shared-files.ts';

const FOLDER = 'batches/.schedules';
const fileOf = (id: string): string => `${FOLDER}/${id}.json`;

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

/** False when the very same one is there. Contract: `usage` for another one of that name. */
export async function addSchedule(shared: SharedFiles, schedule: Schedule): Promise<boolean> {
  if (!ID.test(schedule.id))
    throw usageError(`--id "${schedule.id}": of a schedule it has letters, digits and dashes, at most 60.`);
  if (await shared.create(fileOf(schedule.id), `${JSON.stringify(schedule, null, 2)}\n`)) return true;
  const there = await findSchedule(shared, schedule.id);
  if (there !== undefined && scheduleId(there) === scheduleId(schedule)) return false;
  const remove = `tandem queue unschedule ${schedule.id}`;
  throw usageError(
    `There is another schedule ${schedule.id}: take it away first (${remove}), or give this one another --id.`,
  );
}

export async function findSchedule(shared: SharedFiles, id: string): Promise<Schedule | undefined> {
  if (!ID.test(id)) return undefined;
  const text = await shared.read(fileOf(id));
  return text === undefined ? undefined : parseFile(Schedule, text, fileOf(id));
}

export async function allSchedules(shared: SharedFiles): Promise<Schedule[]> {
  const files = [...(await shared.list(FOLDER))].filter(([name]) => name.endsWith('.json'));
  return files
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, text]) => parseFile(Schedule, text, `${FOLDER}/${name}`));
}

/** False when there is none. */
export async function removeSchedule(shared: SharedFiles, id: string): Promise<boolean> {
  if ((await findSchedule(shared, id)) === undefined) return false;
  await shared.remove(fileOf(id));
  return true;
}
