/** `tandem queue …`: shows which runs wait for workers and why, and takes workers out of service. */
import type { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../command-context.ts';
import { jsonOption } from '../options.ts';

export function addQueueCommands(program: Command, { io, done }: CommandContext): void {
  const queue = program
    .command('queue')
    .description('what waits for workers (TANDEM_QUEUE), and which workers there are');
  queue
    .command('ls')
    .description('workers, and every run that waits for one or is worked on: where, for what, since when')
    .addOption(jsonOption())
    .action((options) => done(import('./queue.ts').then((its) => its.queueLs(options, io))));
  queue
    .command('why')
    .description('why a run does not go on: where it waits, for what, since when, and what to do')
    .argument('<run>', 'id, beginning of an id, or folder')
    .addOption(jsonOption())
    .action((run, options) => done(import('./queue.ts').then((its) => its.queueWhy(run, options, io))));
  queue
    .command('schedules')
    .description('batches that begin by themselves (tandem batch --cron): when next, and what became of the last')
    .addOption(jsonOption())
    .action((options) => done(import('./schedules.ts').then((its) => its.listSchedules(options, io))));
  queue
    .command('schedule')
    .description('show the starts of a schedule, or steer it')
    .argument('<schedule>', 'as tandem queue schedules names it')
    .option('--pause', 'begin nothing more; batches that it has begun go on')
    .option('--resume', 'go on after --pause; what was due meanwhile is left out')
    .option('--now', 'begin a batch now, beside the times of the pattern')
    .option('--backfill <from..to>', 'begin a batch for each time of a past range, such as 2026-11-20..2026-11-23')
    .addOption(jsonOption())
    .action((id, options) => done(import('./schedules.ts').then((its) => its.steerSchedule(id, options, io))));
  queue
    .command('unschedule')
    .description('take a schedule away; batches that it has begun go on')
    .argument('<schedule>', 'as tandem queue schedules names it')
    .action((id) => done(import('./schedules.ts').then((its) => its.unscheduleBatch(id, io))));
  queue
    .command('drain')
    .description('let a worker end what it runs, take nothing more, and leave')
    .argument('<worker>', 'as tandem queue ls names it')
    .action((worker) => done(import('./queue.ts').then((its) => its.queueDrain(worker, io))));
}
