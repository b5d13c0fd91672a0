/** Commands that change where a run stands: pause, cancel, fork; and verify, which says whether it is whole. */
import type { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../call.ts';
import { json } from '../options.ts';

export function addControlCommands(program: Command, { io, done }: CommandContext): void {
  program
    .command('pause')
    .description('stop a run where it is; tandem resume goes on')
    .argument('<run>', 'id, beginning of an id, or folder')
    .option('--comment <text>', 'why; it stands in the journal')
    .addOption(json())
    .action(async (run, options) => done(await (await import('./pause.ts')).pauseCommand(run, options, io)));

  program
    .command('cancel')
    .description('end a run for good; its folder stays')
    .argument('<run>', 'id, beginning of an id, or folder')
    .option('--comment <text>', 'why; it stands in the journal')
    .addOption(json())
    .action(async (run, options) => done(await (await import('./cancel.ts')).cancelCommand(run, options, io)));

  program
    .command('fork')
    .description('a new run that begins where this one stood after one of its events')
    .argument('<run>', 'id, beginning of an id, or folder')
    .option('--at <event>', 'number of the last event that both share; default: the last one from which it can go on')
    .option('--id <run-id>', 'id of the new run; default: time and chance')
    .addOption(json())
    .action(async (run, options) => done(await (await import('./fork.ts')).forkCommand(run, options, io)));

  program
    .command('verify')
    .description(
      'check the hash chain, every committed file and every digest of a run (exit code 1: something is not as it was written)',
    )
    .argument('<run>', 'id, beginning of an id, or folder')
    .addOption(json())
    .action(async (run, options) => done(await (await import('./verify.ts')).verifyCommand(run, options, io)));
}
