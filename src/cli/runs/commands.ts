/** `tandem runs …`: deletes runs that ended long ago. */
import type { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../command-context.ts';
import { appendValue, jsonOption } from '../options.ts';

const OLD = 'ended so long ago, such as 30d; default: retention in config/';
const SCENARIO = 'only of this scenario; may be given several times';

export function addRunsCommands(program: Command, { io, done }: CommandContext): void {
  const runs = program.command('runs').description('runs that ended long ago: prune');
  runs
    .command('prune')
    .description(
      'delete runs that have ended, never one that waits, can go on, or is blessed; without --yes it only says which',
    )
    .option('--older-than <duration>', OLD)
    .option('--scenario <name>', SCENARIO, appendValue)
    .option('--state <state>', 'only those that ended so: succeeded, failed, rejected, expired, cancelled', appendValue)
    .option('--yes', 'delete them')
    .addOption(jsonOption())
    .action((options) => done(import('./order-many.ts').then((its) => its.pruneCommand(options, io))));
}
