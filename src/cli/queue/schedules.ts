/** `tandem queue schedules | unschedule`: lists and removes batches that start on a schedule. */
import { openStore } from '../../app/open-store.ts';
import { readSchedules, removeSchedule } from '../../batch/schedule.ts';
import { findHome } from '../../config/home.ts';
import { HarnessError } from '../../errors.ts';
import { formatTable } from '../../report/text/width.ts';
import type { JsonFlag } from '../command-context.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { withQueue } from './queue.ts';

/** Lists the schedules on disk: the next worker restores one that the queue has lost. */
export async function listSchedules(options: JsonFlag, io: Io): Promise<number> {
  const { shared } = openStore(findHome(io.cwd));
  const next = await withQueue(io, (queue) => queue.schedules.next());
  const rows = (await readSchedules(shared)).map(({ id, cron, timeZone, args, actor }) => {
    const at = next.get(id)?.nextMs;
    return { schedule: id, cron, timeZone, next: at === undefined ? null : new Date(at).toISOString(), actor, args };
  });
  if (options.json === true) io.out(JSON.stringify(rows));
  else if (rows.length === 0) io.out('No batch is scheduled: tandem batch … --cron "0 2 * * *" schedules one.');
  else {
    const cells = rows.map((row) => [
      row.schedule,
      row.cron,
      row.timeZone,
      row.next ?? 'when a worker looks',
      row.args.join(' '),
    ]);
    for (const line of formatTable([['schedule', 'cron', 'time zone', 'next', 'batch'], ...cells])) io.out(line);
  }
  return EXIT.met;
}

/** Removes the file first: a worker starts nothing that is not on disk. */
export async function unscheduleBatch(id: string, io: Io): Promise<number> {
  const { shared } = openStore(findHome(io.cwd));
  const isThere = await removeSchedule(shared, id);
  await withQueue(io, (queue) => queue.schedules.remove(id));
  if (!isThere) {
    const names = (await readSchedules(shared)).map((one) => one.id).join(', ');
    throw new HarnessError(
      'not_found',
      `There is no schedule ${id}: ${names === '' ? 'nothing is scheduled' : `there are ${names}`}.`,
    );
  }
  io.out(`Schedule ${id} is taken away. Batches that it has begun go on.`);
  return EXIT.met;
}
