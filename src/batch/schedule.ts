/** A batch begun by a cron pattern: `batches/.schedules/<id>.json` says what and when; workers begin it. */
import { z } from 'zod';
import { parseFile } from '../disk/parse-file.ts';
import { sha256 } from '../disk/sha256.ts';
import { HarnessError, usageError } from '../errors.ts';
import { OVERLAPS } from '../ports/job-queue.ts';
import type { SharedFiles } from '../ports/shared-files.ts';

const FOLDER = 'batches/.schedules';
const toSchedulePath = (id: string): string => `${FOLDER}/${id}.json`;

/** The id of a started batch is the schedule's id with the start time appended. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$/;

/** Times that no worker saw are made up for when they are not older than this. */
export const DEFAULT_CATCH_UP_MS = 24 * 60 * 60 * 1000;

export const Schedule = z.strictObject({
  version: z.literal(1),
  id: z.string().regex(ID),
  cron: z.string(),
  timeZone: z.string(),
  /** The arguments of `tandem batch`, without the flags for the schedule. */
  args: z.array(z.string()),
  actor: z.string(),
  createdAt: z.string(),
  /** Absent in schedules of earlier versions, which let batches overlap. */
  overlap: z.enum(OVERLAPS).optional(),
  catchUpMs: z.int().positive().optional(),
  /** Nothing new begins while this is set. */
  paused: z.strictObject({ at: z.string(), actor: z.string() }).optional(),
  /** Times before this one are not made up for: those of a pause that has ended. */
  since: z.string().optional(),
});
export type Schedule = z.infer<typeof Schedule>;

/** The same command line given twice results in one schedule. */
export function scheduleId({ cron, timeZone, args }: Pick<Schedule, 'cron' | 'timeZone' | 'args'>): string {
  return `cron-${sha256(JSON.stringify([cron, timeZone, args])).slice(0, 8)}`;
}

/** Leaves out options that an earlier version had: what was scheduled then goes on to begin. */
export function dropRemovedOptions(args: readonly string[]): string[] {
  return args.filter((arg, index) => !/^--(?:economy$|live-after\b)/.test(arg) && args[index - 1] !== '--live-after');
}

function isSameSchedule(one: Schedule, other: Schedule): boolean {
  const terms = ({ overlap, catchUpMs }: Schedule) => JSON.stringify([overlap, catchUpMs]);
  return scheduleId(one) === scheduleId(other) && terms(one) === terms(other);
}

/** Formats `nightly-20261124-020000`, in UTC: every worker that starts it computes the same batch id. */
export function formatBatchId(id: string, due: Date): string {
  const [day = '', time = ''] = due.toISOString().slice(0, 19).split('T');
  return `${id}-${day.replaceAll('-', '')}-${time.replaceAll(':', '')}`;
}

/** Returns false when the identical schedule exists. Contract: `usage` for a different schedule with that name. */
export async function addSchedule(shared: SharedFiles, schedule: Schedule): Promise<boolean> {
  if (!ID.test(schedule.id))
    throw usageError(`--id "${schedule.id}": of a schedule it has letters, digits and dashes, at most 60.`);
  if (await shared.create(toSchedulePath(schedule.id), formatSchedule(schedule))) return true;
  const there = await findSchedule(shared, schedule.id);
  if (there !== undefined && isSameSchedule(there, schedule)) return false;
  const remove = `tandem queue unschedule ${schedule.id}`;
  throw usageError(
    `There is another schedule ${schedule.id}: take it away first (${remove}), or give this one another --id.`,
  );
}

export async function findSchedule(shared: SharedFiles, id: string): Promise<Schedule | undefined> {
  if (!ID.test(id)) return undefined;
  const text = await shared.read(toSchedulePath(id));
  return text === undefined ? undefined : parseFile(Schedule, text, toSchedulePath(id));
}

export async function readSchedules(shared: SharedFiles): Promise<Schedule[]> {
  const files = [...(await shared.list(FOLDER))].filter(([name]) => name.endsWith('.json'));
  return files
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, text]) => parseFile(Schedule, text, `${FOLDER}/${name}`));
}

/** Contract: `not_found` names the schedules that there are. */
export async function readSchedule(shared: SharedFiles, id: string): Promise<Schedule> {
  const found = await findSchedule(shared, id);
  if (found !== undefined) return found;
  const names = (await readSchedules(shared)).map((one) => one.id).join(', ');
  const known = names === '' ? 'nothing is scheduled' : `there are ${names}`;
  throw new HarnessError('not_found', `There is no schedule ${id}: ${known}.`);
}

/** While it is paused nothing new begins, and what was due meanwhile is not made up for. */
export async function pauseSchedule(
  shared: SharedFiles,
  id: string,
  { at, actor, isOver = false }: { at: string; actor: string; isOver?: boolean },
): Promise<void> {
  const { paused, ...schedule } = await readSchedule(shared, id);
  const changed = isOver ? { ...schedule, since: at } : { ...schedule, paused: { at, actor } };
  if (isOver === (paused !== undefined)) await shared.write(toSchedulePath(id), formatSchedule(changed));
}

function formatSchedule(schedule: Schedule): string {
  return `${JSON.stringify(schedule, null, 2)}\n`;
}

/** Returns false when there is no such schedule. */
export async function removeSchedule(shared: SharedFiles, id: string): Promise<boolean> {
  if ((await findSchedule(shared, id)) === undefined) return false;
  await shared.remove(toSchedulePath(id));
  return true;
}
