/** `tandem store …` and `tandem copy`: maintain the database of runs (TANDEM_STORE), and copy runs in and out. */
import type { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../command-context.ts';
import { jsonOption } from '../options.ts';

export function addStoreCommands(program: Command, { io, done }: CommandContext): void {
  const store = program.command('store').description('the database that runs live in (TANDEM_STORE)');
  store
    .command('migrate')
    .description('bring the tables to the version of this program; refused while older workers are connected')
    .addOption(jsonOption())
    .action((options) => done(import('./store.ts').then((its) => its.migrateCommand(options, io))));
  store
    .command('sweep')
    .description('free what earlier versions of files hold, of runs and sessions that nobody is at work on')
    .option('--dry-run', 'only say how much')
    .addOption(jsonOption())
    .action((options) => done(import('./store.ts').then((its) => its.sweepCommand(options, io))));
  program
    .command('copy')
    .description('copy runs that have ended to another home, and compare every digest there')
    .argument('<run>', "id, beginning of an id, folder, or a pattern such as 'nightly-*'")
    .requiredOption('--to <home>', 'the folder of a project, or postgres://user@host/database')
    .addOption(jsonOption())
    .action((run, options) => done(import('./store.ts').then((its) => its.copyCommand(run, options, io))));
}
