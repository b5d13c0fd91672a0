/** Commands that carry runs on: run, batch, resume. */
import type { Command } from '@commander-js/extra-typings';
import type { CommandContext } from '../call.ts';
import {
  onGate,
  json,
  profile,
  sandboxKind,
  unsandboxed,
  maxMinutes,
  timeout,
  gateExitCode,
  junit,
  baseline,
  recordOption,
  replayOption,
} from '../options.ts';

export function addRunCommands(program: Command, { io, signal, done }: CommandContext): void {
  program
    .command('run')
    .description('start a run of a scenario and carry it on until it ends or somebody must act')
    .argument('<scenario>', 'name in scenarios/, or a path')
    .addOption(profile())
    .addOption(onGate())
    .addOption(sandboxKind())
    .addOption(unsandboxed())
    .option('--id <run-id>', 'id of the new run; default: time and chance')
    .option('--continue', 'go on with the run of that --id if it exists: one command line for every slice of a CI job')
    .option('--detach', 'hand the run to the workers of TANDEM_QUEUE and return')
    .addOption(maxMinutes())
    .addOption(timeout())
    .addOption(gateExitCode())
    .addOption(junit())
    .addOption(baseline())
    .addOption(recordOption())
    .addOption(replayOption())
    .addOption(json())
    .action(async (scenario, options) =>
      done(await (await import('../ci/run-or-continue.ts')).runOrContinue(scenario, options, io, signal)),
    );

  program
    .command('batch')
    .description(
      'run many scenarios, or one many times: one cap on money, one report; a gate in one run blocks no other',
    )
    .argument('[scenarios...]', "names, paths, or a pattern such as 'scenarios/*'")
    .option('--runs <n>', 'runs of each scenario; default: 1')
    .option('--max-parallel <k>', 'runs that are worked on at the same time; default: 4')
    .option('--budget <usd>', 'one cap for all runs together; each run keeps its own as well')
    .option('--resume <batch>', 'go on with a batch; with --budget under another cap')
    .option('--status <batch>', 'only show where a batch stands')
    .addOption(profile())
    .addOption(onGate())
    .addOption(unsandboxed())
    .option('--id <batch>', 'id of the new batch; default: time and chance')
    .option('--continue', 'go on with the batch of that --id if it exists')
    .addOption(maxMinutes())
    .addOption(timeout())
    .addOption(gateExitCode())
    .addOption(junit())
    .addOption(recordOption())
    .addOption(replayOption())
    .addOption(json())
    .action(async (scenarios, options) =>
      done(await (await import('../batch/batch.ts')).batchCommand(scenarios, options, io, signal)),
    );

  program
    .command('resume')
    .description('go on with a run that was stopped, waits, is paused or errored')
    .argument('<run>', 'id, beginning of an id, or folder')
    .addOption(profile())
    .addOption(onGate())
    .addOption(unsandboxed())
    .option('--raise <usd>', 'raise the money cap by this many US dollars')
    .addOption(maxMinutes())
    .addOption(timeout())
    .addOption(gateExitCode())
    .addOption(junit())
    .addOption(baseline())
    .addOption(recordOption())
    .addOption(replayOption())
    .addOption(json())
    .action(async (run, options) => done(await (await import('./resume.ts')).resumeCommand(run, options, io, signal)));
}
