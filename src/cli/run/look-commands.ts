/** Commands that only look: status, report. */
import type { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../call.ts';
import { json } from '../options.ts';

export function addViewCommands(program: Command, { io, done }: CommandContext): void {
  program
    .command('status')
    .description('one run, or all runs of this project')
    .argument('[run]')
    .addOption(json())
    .action(async (run, options) => done(await (await import('./status.ts')).statusCommand(run, options, io)));

  program
    .command('report')
    .description('the report of a run, or of one of its iterations')
    .argument('<run>')
    .option('--format <format>', 'md | html | junit | github | json', 'md')
    .option('--iteration <n>', 'only this iteration')
    .action(async (run, options) => done(await (await import('./report.ts')).reportCommand(run, options, io)));
}
