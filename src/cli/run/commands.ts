/** Commands about runs: start and continue them, show them, change or check them. */
import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { CommandContext, Io } from '../command-context.ts';
import type { LogFlags } from '../log.ts';
import * as flags from '../options.ts';

const RUN = 'id, beginning of an id, or folder';

export function addRunCommands(program: Command, call: CommandContext): void {
  addRun(program, call);
  addValidate(program, call);
  addBatch(program, call);
  addResume(program, call);
  addViews(program, call);
  addOrders(program, call);
  addCopies(program, call);
}

/** Adds the flags of CI jobs: time limit, gate policy, report files, and recording or replay of model traffic. */
const withCiOptions = <Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) =>
  command
    .addOption(flags.maxMinutesOption())
    .addOption(flags.timeoutOption())
    .addOption(flags.gateExitCodeOption())
    .addOption(flags.junitOption())
    .addOption(flags.recordOption())
    .addOption(flags.replayOption())
    .addOption(flags.logFormatOption())
    .addOption(flags.logLevelOption())
    .addOption(flags.jsonOption());

/** Replaces the screen by the log, whose code is loaded only when a flag asks for it. */
async function openLoggedIo(options: LogFlags, io: Io): Promise<Io> {
  if (options.logFormat === undefined && options.logLevel === undefined) return io;
  const log = (await import('../log.ts')).openCommandLog(options, io);
  return { ...io, screen: undefined, log };
}

function addRun(program: Command, { io, signal, done }: CommandContext): void {
  withCiOptions(program.command('run'))
    .description('start a run of a scenario and carry it on until it ends or somebody must act')
    .argument('<scenario>', 'name in scenarios/, or a path')
    .addOption(flags.profileOption())
    .addOption(flags.policyOption())
    .addOption(flags.onGateOption())
    .addOption(flags.sandboxOption())
    .addOption(flags.unsandboxedOption())
    .addOption(flags.baselineOption())
    .addOption(flags.priorityOption())
    .option('--budget <usd>', "cap on the run's money, in the place of the scenario's budget_usd")
    .option('--label <name=value>', 'what the run is found by (--where); may be given several times', flags.appendValue)
    .option('--dry-run', 'only check and forecast: nothing is written, nothing is paid')
    .option('--yes', 'begin without a question, whatever the forecast')
    .option('--id <run-id>', 'id of the new run; default: time and chance')
    .option('--continue', 'go on with the run of that --id if it exists: one command line for every slice of a CI job')
    .option('--detach', 'hand the run to the workers of TANDEM_QUEUE and return')
    .action((scenario, { continue: goesOn, ...options }) =>
      done(
        goesOn === true
          ? import('./resume.ts').then(async (its) =>
              its.runOrContinue(scenario, options, { io: await openLoggedIo(options, io), signal }),
            )
          : import('./run.ts').then(async (its) =>
              its.runCommand(scenario, options, { io: await openLoggedIo(options, io), signal }),
            ),
      ),
    );
}

function addValidate(program: Command, { io, signal, done }: CommandContext): void {
  program
    .command('validate')
    .description(
      'check all that a run of this scenario needs, and forecast its cost: nothing is written, nothing is paid',
    )
    .argument('<scenario>', 'name in scenarios/, or a path')
    .addOption(flags.profileOption())
    .addOption(flags.sandboxOption())
    .addOption(flags.unsandboxedOption())
    .addOption(flags.jsonOption())
    .action((scenario, options) =>
      done(import('./preflight.ts').then((its) => its.validateCommand(scenario, options, { io, signal }))),
    );
}

function addBatch(program: Command, { io, signal, done }: CommandContext): void {
  withCiOptions(program.command('batch'))
    .description(
      'run many scenarios, or one many times: one cap on money, one report; a gate in one run blocks no other',
    )
    .argument('[scenarios...]', "names, paths, or a pattern such as 'scenarios/*'")
    .option('--runs <n>', 'runs of each scenario; default: 1')
    .option('--max-parallel <k>', 'runs that are worked on at the same time; default: 4')
    .option('--budget <usd>', 'one cap for all runs together, in addition to each run’s own')
    .option('--resume <batch>', 'go on with a batch; with --budget under another cap')
    .option(
      '--dry-run',
      'only check and forecast, scenario by scenario and together: nothing is written, nothing is paid',
    )
    .option('--status <batch>', 'only show the progress of a batch')
    .option('--cron <pattern>', 'begin such a batch again and again, at the times of a cron pattern (TANDEM_QUEUE)')
    .option('--time-zone <zone>', 'of --cron, such as Europe/Berlin; default: UTC')
    .addOption(flags.overlapOption())
    .option('--catch-up <duration>', 'of --cron: how old a missed time may be that is made up for; default: 24h')
    .addOption(flags.profileOption())
    .addOption(flags.policyOption())
    .addOption(flags.collectGatesOption())
    .addOption(flags.onGateOption())
    .addOption(flags.unsandboxedOption())
    .addOption(flags.priorityOption())
    .option('--evaluate', 'play the components that the scenarios have by a subject, without agents, gates and runs')
    .addOption(flags.subjectOption())
    .option('--trials <n>', 'with --evaluate: trials of each sample')
    .option('--version-of <file|text>', 'with --evaluate: what else the subject’s answers depend on')
    .option('--id <batch>', 'id of the new batch; default: time and chance')
    .option('--continue', 'go on with the batch of that --id if it exists')
    .action((scenarios, options) =>
      done(
        import('../batch/batch.ts').then(async (its) =>
          its.batchCommand(scenarios, options, { io: await openLoggedIo(options, io), signal }),
        ),
      ),
    );
}

function addResume(program: Command, { io, signal, done }: CommandContext): void {
  withCiOptions(program.command('resume'))
    .description('go on with a run that was stopped, waits, is paused or errored')
    .argument('[run]', RUN)
    .addOption(flags.whereOption())
    .option('--dry-run', 'with --where: only say which')
    .option('--yes', 'with --where: do it')
    .addOption(flags.profileOption())
    .addOption(flags.onGateOption())
    .addOption(flags.unsandboxedOption())
    .addOption(flags.baselineOption())
    .option(
      '--take <what>',
      'for a run that stopped: scenario.yaml with repaired subject, user or trials; proof: today’s rules; user: today’s users',
    )
    .option('--raise <usd>', 'raise the money cap by this many US dollars')
    .option(
      '--discard-last-answer',
      'ask the model once more for the last answer of the step that fails: the last way out',
    )
    .action((run, options) =>
      done(
        import('./resume.ts').then(async (its) =>
          its.resumeOneOrMany(run, options, { io: await openLoggedIo(options, io), signal }),
        ),
      ),
    );
}

function addViews(program: Command, { io, done }: CommandContext): void {
  program
    .command('status')
    .description('one run, or all runs of this project')
    .argument('[run]')
    .addOption(flags.whereOption())
    .option('--all', 'list archived runs, too')
    .addOption(flags.jsonOption())
    .action((run, options) => done(import('./status.ts').then((its) => its.statusCommand(run, options, io))));
  program
    .command('report')
    .description('the report of a run, or of one of its iterations')
    .argument('<run>')
    .option('--format <format>', 'md | html | junit | github | json', 'md')
    .option('--iteration <n>', 'only this iteration')
    .action((run, options) => done(import('./report.ts').then((its) => its.reportCommand(run, options, io))));
}

function addOrders(program: Command, { io, signal, done }: CommandContext): void {
  for (const [name, does] of [
    ['pause', 'stop a run where it is; resume goes on'],
    ['cancel', 'end a run for good; its folder stays'],
  ] as const)
    program
      .command(name)
      .description(does)
      .argument('[run]', RUN)
      .addOption(flags.whereOption())
      .option('--dry-run', 'with --where: only say which')
      .option('--yes', 'with --where: do it')
      .option('--comment <text>', 'why; it is written in the journal')
      .addOption(flags.jsonOption())
      .action((run, options) =>
        done(import('./control.ts').then((its) => its.orderCommand(name, { run, ...options }, { io, signal }))),
      );
}

function addCopies(program: Command, { io, signal, done }: CommandContext): void {
  program
    .command('fork')
    .description('a new run that begins where this one was after one of its events')
    .argument('<run>', RUN)
    .option('--at <event>', 'number of the last event that both share; default: the last one from which it can go on')
    .option('--id <run-id>', 'id of the new run; default: time and chance')
    .addOption(flags.jsonOption())
    .action((run, options) => done(import('./control.ts').then((its) => its.forkCommand(run, options, io))));
  program
    .command('verify')
    .description(
      'check the hash chain, every committed file and every digest of a run (exit code 1: something is not as it was written)',
    )
    .argument('<run>', RUN)
    .addOption(flags.jsonOption())
    .action((run, options) => done(import('./control.ts').then((its) => its.verifyCommand(run, options, io))));
  program
    .command('upgrade-check')
    .description(
      'what this version would do to the runs at hand; exit code 1: one waits for a newer one, or is damaged',
    )
    .addOption(flags.jsonOption())
    .action((options) =>
      done(import('./upgrade-check.ts').then((its) => its.upgradeCheckCommand(options, { io, signal }))),
    );
}
