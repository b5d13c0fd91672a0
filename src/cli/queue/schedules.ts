/** `tandem queue schedules | schedule | unschedule`: shows, steers and removes batches that start on a schedule. */
import { openStore } from '../../app/open-store.ts';
import { loadCronTimes } from '../../app/worker-queue.ts';
import { pauseSchedule, readSchedule, readSchedules, removeSchedule, type Schedule } from '../../batch/schedule.ts';
import { decideStart, findNextDue, forgetStarts, readStarts, type Start } from '../../batch/schedule-starts.ts';
import { findHome } from '../../config/home.ts';
import { usageError } from '../../errors.ts';
import { formatCount } from '../../report/text/number-format.ts';
import { formatTable } from '../../report/text/width.ts';
import { commandActor, type BooleanFlags, type JsonFlag, type TextFlags, EXIT, type Io } from '../command-context.ts';

export type ScheduleFlags = BooleanFlags<'pause' | 'resume' | 'now'> & TextFlags<'backfill'> & JsonFlag;
type Project = ReturnType<typeof openStore>;

/** At most so many batches are begun by one backfill, so that a typo begins no thousands. */
const MOST_BACKFILLED = 366;

async function describeSchedule(schedule: Schedule, { shared, clock }: Project) {
  const { id, cron, timeZone, args, actor, overlap = 'allow', paused } = schedule;
  const starts = await readStarts(shared, id);
  const moment = { schedule, starts, nowMs: clock.now().getTime() };
  const due = findNextDue(moment, (await loadCronTimes())(schedule));
  return {
    ...{ schedule: id, cron, timeZone, next: due === undefined ? null : new Date(due).toISOString(), actor, args },
    ...{ overlap, pausedAt: paused?.at ?? null, starts: starts.map(describeStart).toReversed() },
  };
}

function describeStart({ batch, due, claims, ending, decided, asked }: Start) {
  const state = decided === 'skip' ? 'skipped' : ending !== undefined ? 'ended' : claims.length > 0 ? 'begun' : 'waits';
  return { batch, due, state, exit: ending?.exit ?? null, asked: asked ?? null };
}

/** Lists the schedules with their last start; workers begin what is due at their next look. */
export async function listSchedules(options: JsonFlag, io: Io): Promise<number> {
  const project = openStore(findHome(io.cwd));
  const found = await Promise.all((await readSchedules(project.shared)).map((one) => describeSchedule(one, project)));
  const rows = found.map(({ starts, ...row }) => ({
    ...row,
    last: starts.find(({ state }) => state !== 'waits') ?? null,
  }));
  if (options.json === true) io.out(JSON.stringify(rows));
  else if (rows.length === 0) io.out('No batch is scheduled: tandem batch … --cron "0 2 * * *" schedules one.');
  else {
    const cells = rows.map(({ schedule, cron, timeZone, next, last, args }) => [
      ...[schedule, cron, timeZone, next ?? 'paused'],
      last === null ? '' : `${last.due} ${formatStart(last)}`,
      args.join(' '),
    ]);
    for (const line of formatTable([['schedule', 'cron', 'time zone', 'next', 'last', 'batch'], ...cells]))
      io.out(line);
  }
  return EXIT.met;
}

function formatStart({ state, exit }: Pick<ReturnType<typeof describeStart>, 'state' | 'exit'>): string {
  return exit === null ? state : typeof exit === 'number' ? `exit ${exit}` : exit;
}

/** Without an order it shows the schedule with its starts. */
export async function steerSchedule(id: string, flags: ScheduleFlags, io: Io): Promise<number> {
  const project = openStore(findHome(io.cwd));
  const { shared, clock } = project;
  const orders = [flags.pause, flags.resume, flags.now, flags.backfill].filter(Boolean);
  if (orders.length > 1) throw usageError('Give one of --pause, --resume, --now and --backfill.');
  const schedule = await readSchedule(shared, id);
  const actor = commandActor(io);
  const now = clock.now();
  if (flags.pause === true || flags.resume === true)
    await pauseSchedule(shared, id, { at: now.toISOString(), actor, isOver: flags.resume === true });
  const times = flags.now === true ? [now.getTime()] : await listBackfilled(schedule, flags.backfill, now);
  let added = 0;
  for (const time of times) {
    const due = new Date(Math.floor(time / 1000) * 1000).toISOString();
    if (await decideStart(shared, id, { due, decided: 'begin', asked: actor })) added += 1;
  }
  const { starts, ...row } = await describeSchedule(await readSchedule(shared, id), project);
  if (flags.json === true) io.out(JSON.stringify({ ...row, starts, added }));
  else {
    if (times.length > 0)
      io.out(`Workers begin ${formatCount(added, 'batch', 'batches')}; other times were decided before.`);
    io.out(`${id}: "${row.cron}" in ${row.timeZone}, next ${row.next ?? 'after --resume'}; overlap: ${row.overlap}`);
    const lines = starts.map((start) => [start.due, start.batch, formatStart(start), start.asked ?? '']);
    for (const line of formatTable([['due', 'batch', 'state', 'asked by'], ...lines])) io.out(line);
  }
  return EXIT.met;
}

/** Lists the times of the pattern in a range of days or moments that have passed. */
async function listBackfilled(schedule: Schedule, range: string | undefined, now: Date): Promise<number[]> {
  if (range === undefined) return [];
  const [from = Number.NaN, to = Number.NaN] = range.split('..').map((text) => Date.parse(text));
  if (!(from < to) || range.split('..').length !== 2)
    throw usageError(`--backfill "${range}": expected two days or times, such as 2026-11-20..2026-11-23 (UTC).`);
  if (to > now.getTime()) throw usageError(`--backfill "${range}": it ends in the future, which the schedule begins.`);
  const nextTime = (await loadCronTimes())(schedule);
  const times: number[] = [];
  for (let at = nextTime(from - 1); at !== undefined && at < to; at = nextTime(at)) {
    times.push(at);
    if (times.length > MOST_BACKFILLED)
      throw usageError(`--backfill "${range}": more than ${MOST_BACKFILLED} batches. Give a shorter range.`);
  }
  return times;
}

/** Removes the file first: a worker starts nothing that is not on disk. */
export async function unscheduleBatch(id: string, io: Io): Promise<number> {
  const { shared } = openStore(findHome(io.cwd));
  await readSchedule(shared, id);
  await removeSchedule(shared, id);
  await forgetStarts(shared, id);
  io.out(`Schedule ${id} is taken away. Batches that it has begun go on.`);
  return EXIT.met;
}
