/** argv -> one command -> exit code. */
import { Command, CommanderError, Option } from '@commander-js/extra-typings';
import { readFileSync } from 'node:fs';
import { isHarnessError, messageOf } from './errors.ts';
import { addEvaluationCommands } from './cli/evaluation-commands.ts';
import { askOnTerminal } from './commands/ask-reviewer.ts';
import { EXIT, exitCodeOfError } from './commands/exit-code.ts';
import type { Io } from './commands/io.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

function terminal(): Io {
  const { stdin, stdout, stderr, env } = process;
  const color = env['NO_COLOR'] === undefined && env['TERM'] !== 'dumb';
  return {
    out: (line) => void stdout.write(`${line}\n`),
    err: (line) => void stderr.write(`${line}\n`),
    draw: (text) => void stderr.write(text),
    screen: stderr.isTTY && env['CI'] === undefined ? screenOf(stderr, color) : undefined,
    ask: stdin.isTTY && stderr.isTTY ? askOnTerminal : undefined,
    env,
    cwd: process.cwd(),
  };
}

function screenOf(stream: typeof process.stderr, color: boolean): NonNullable<Io['screen']> {
  return {
    columns: () => stream.columns || 100,
    color,
    onResize: (redraw) => {
      stream.on('resize', redraw);
      return () => stream.off('resize', redraw);
    },
  };
}

/** The first signal stops in order and keeps the state; the second one ends at once. */
function interruptible(): { signal: AbortSignal; code: () => number } {
  const stop = new AbortController();
  let code = 0;
  for (const [name, number] of [
    ['SIGINT', EXIT.interrupted],
    ['SIGTERM', 143],
  ] as const) {
    process.on(name, () => {
      if (code !== 0) process.exit(number);
      code = number;
      process.stderr.write(`\n${name}: stopping; what is paid for is kept (again to stop at once)\n`);
      stop.abort(new Error(name));
    });
  }
  return { signal: stop.signal, code: () => code };
}

const io = terminal();
const { signal, code: signalCode } = interruptible();
/** Commands are imported when they are called: `tandem gates list` need not load a model's client. */
let exitCode: number = EXIT.met;
const done = (code: number): void => {
  exitCode = code;
};

const program = new Command('tandem')
  .description('Two agents build and run an evaluation of a third, behind a human gate.')
  .version(version)
  .showHelpAfterError('(tandem --help shows all commands)')
  .addHelpText(
    'after',
    `
Examples:
  tandem run refund-desk --profile demo      the main job, offline, with the shipped scenario
  tandem run refund-desk --on-gate exit      stops at HITL-1 with exit code 4 and says how to go on
  tandem gates list                          who waits for a decision
  tandem resume 20261120                     goes on with the run whose id begins so
  tandem batch 'scenarios/*' --runs 5        every scenario five times, one report
  tandem init my-desk                        a new scenario that runs at once

Exit codes: 0 target met · 1 finished, not met · 2 usage or config · 3 rejected, expired or cancelled · 4 waiting at a gate
            5 paused by budget · 6 infrastructure gave up, safe to run again · 7 time slice used up, run again
            130/143 stopped by a signal`,
  );

const onGate = () =>
  new Option(
    '--on-gate <how>',
    'when HITL-1 opens: exit | wait | prompt | auto:<policy> (auto only while the model is on loopback)',
  );
const json = () => new Option('--json', 'one JSON value as the last line of standard output');
const profile = () => new Option('--profile <name>', 'a file of config/profiles: demo, seed, …');
const unsandboxed = () =>
  new Option('--allow-unsandboxed', 'run generated code even where it cannot be fully confined');

const maxMinutes = () =>
  new Option('--max-minutes <n>', 'begin nothing new after so long, keep the state, end with exit code 7');
const timeout = () => new Option('--timeout <duration>', 'how long --on-gate wait waits, such as 45m; then exit code 4');
const gateExitCode = () => new Option('--gate-exit-code <n>', 'exit code while a gate waits; default: 4');
const junit = () => new Option('--junit <file>', 'write the JUnit report there too');
const baseline = () =>
  new Option('--baseline <run>', 'fail only when worse than this run or blessed file by more than chance');
const record = () => new Option('--record <dir>', 'write down all model traffic');
const replay = () => new Option('--replay <dir>', 'answer every model call from a recording: no network, no cost');

program
  .command('run')
  .description('start a run of a scenario and carry it on until it ends or somebody must act')
  .argument('<scenario>', 'name in scenarios/, or a path')
  .addOption(profile())
  .addOption(onGate())
  .addOption(unsandboxed())
  .option('--id <run-id>', 'id of the new run; default: time and chance')
  .option('--continue', 'go on with the run of that --id if it exists: one command line for every slice of a CI job')
  .option('--detach', 'hand the run to the workers of TANDEM_QUEUE and return')
  .addOption(maxMinutes())
  .addOption(timeout())
  .addOption(gateExitCode())
  .addOption(junit())
  .addOption(baseline())
  .addOption(record())
  .addOption(replay())
  .addOption(json())
  .action(async (scenario, options) =>
    done(await (await import('./commands/ci-continue.ts')).runOrContinue(scenario, options, io, signal)),
  );

program
  .command('batch')
  .description('run many scenarios, or one many times: one cap on money, one report; a gate in one run blocks no other')
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
  .addOption(record())
  .addOption(replay())
  .addOption(json())
  .action(async (scenarios, options) =>
    done(await (await import('./commands/batch.ts')).batchCommand(scenarios, options, io, signal)),
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
  .addOption(record())
  .addOption(replay())
  .addOption(json())
  .action(async (run, options) =>
    done(await (await import('./commands/resume.ts')).resumeCommand(run, options, io, signal)),
  );

const gates = program.command('gates').description('HITL-1: see what waits, read it, decide');
gates
  .command('list')
  .description('all gates that wait for a decision, oldest first')
  .addOption(json())
  .action(async (options) => done(await (await import('./commands/gates.ts')).listGates(options, io)));
gates
  .command('show')
  .description('what the reviewer is shown: changes, checks, cost, questions')
  .argument('<run>')
  .argument('[gate]', 'such as HITL-1.r2; default: the newest')
  .option('--diff', 'the full diff of the design files')
  .option('--markdown', 'the same as Markdown')
  .addOption(json())
  .action(async (run, gate, options) =>
    done(await (await import('./commands/gates.ts')).showGate(run, gate, options, io)),
  );
for (const [name, decision, does] of [
  ['approve', 'approve', 'Execute may build this design'],
  ['request-changes', 'request_changes', 'Init must change the design; --comment says what'],
  ['reject', 'reject', 'ends the run'],
] as const) {
  gates
    .command(name)
    .description(does)
    .argument('<run>')
    .option('--digest <digest>', 'the design that you read: at least its first 12 characters')
    .option('--gate <gate>', 'such as HITL-1.r2; default: the newest')
    .option('--comment <text>', 'goes to the agents, on approve too')
    .option('--nonce <word>', 'the same nonce gives the same answer again')
    .addOption(json())
    .action(async (run, options) =>
      done(await (await import('./commands/gates.ts')).decideAtGate(run, decision, options, io)),
    );
}

program
  .command('status')
  .description('one run, or all runs of this project')
  .argument('[run]')
  .addOption(json())
  .action(async (run, options) => done(await (await import('./commands/status.ts')).statusCommand(run, options, io)));

program
  .command('report')
  .description('the report of a run, or of one of its iterations')
  .argument('<run>')
  .option('--format <format>', 'md | html | junit | github | json', 'md')
  .option('--iteration <n>', 'only this iteration')
  .action(async (run, options) => done(await (await import('./commands/report.ts')).reportCommand(run, options, io)));

program
  .command('worker')
  .description('carry on the runs that were handed over (TANDEM_QUEUE), until it is told to stop')
  .addOption(profile())
  .option('--init', 'only designs; with --execute both, which is the default')
  .option('--execute', 'only iterations')
  .option('--concurrency <n>', 'steps of each kind at the same time', '4')
  .option('--grace <seconds>', 'what running steps get after the first signal; a second signal ends at once', '30')
  .option('--port <port>', 'health and metrics on 127.0.0.1; 0 takes a free one', '0')
  .option('--port-file <file>', 'where to write the port')
  .addOption(unsandboxed())
  .addOption(json())
  .action(async (options) => done(await (await import('./commands/worker.ts')).workerCommand(options, io, signal)));

program
  .command('pause')
  .description('stop a run where it is; tandem resume goes on')
  .argument('<run>', 'id, beginning of an id, or folder')
  .option('--comment <text>', 'why; it stands in the journal')
  .addOption(json())
  .action(async (run, options) => done(await (await import('./commands/pause.ts')).pauseCommand(run, options, io)));

program
  .command('cancel')
  .description('end a run for good; its folder stays')
  .argument('<run>', 'id, beginning of an id, or folder')
  .option('--comment <text>', 'why; it stands in the journal')
  .addOption(json())
  .action(async (run, options) => done(await (await import('./commands/cancel.ts')).cancelCommand(run, options, io)));

program
  .command('fork')
  .description('a new run that begins where this one stood after one of its events')
  .argument('<run>', 'id, beginning of an id, or folder')
  .option('--at <event>', 'number of the last event that both share; default: the last one from which it can go on')
  .option('--id <run-id>', 'id of the new run; default: time and chance')
  .addOption(json())
  .action(async (run, options) => done(await (await import('./commands/fork.ts')).forkCommand(run, options, io)));

program
  .command('verify')
  .description('check the hash chain, every committed file and every digest of a run (exit code 1: something is not as it was written)')
  .argument('<run>', 'id, beginning of an id, or folder')
  .addOption(json())
  .action(async (run, options) => done(await (await import('./commands/verify.ts')).verifyCommand(run, options, io)));

program
  .command('serve')
  .description('the review page: read what waits at HITL-1 in a browser, and decide')
  .option('--listen <address>', 'beyond loopback only with reviewers or a proxy in config/reviewers.yaml', '127.0.0.1:7420')
  .option('--token-file <file>', 'keeps the token, so that cookies and links outlive a restart; made when missing')
  .addOption(json())
  .action(async (options) => done(await (await import('./commands/serve.ts')).serveCommand(options, io, signal)));

program
  .command('simulate')
  .description('serve the offline model of a scenario on loopback')
  .requiredOption('--scenario <name>', 'whose simulation/ scripts answer')
  .option('--listen <address>', '127.0.0.1:<port>; port 0 takes a free one', '127.0.0.1:0')
  .option('--port-file <file>', 'where to write the port')
  .option('--latency <ms>', 'how long an answer takes', '0')
  .option('--verbose', 'a line for every request, not only for refused ones')
  .action(async (options) => done(await (await import('./commands/simulate.ts')).simulateCommand(options, io, signal)));

program
  .command('doctor')
  .description('what is installed, what is missing, and how to get it')
  .option('--store <dir>', 'check this folder as a place for runs')
  .addOption(profile())
  .addOption(json())
  .action(async (options) => done(await (await import('./commands/doctor.ts')).doctorCommand(options, io)));

program
  .command('init')
  .description('make a new scenario folder that runs')
  .argument('<name>')
  .option('--title <title>')
  .action(async (name, options) => done(await (await import('./commands/init.ts')).initCommand(name, options, io)));

addEvaluationCommands(program, { io, signal, done });

for (const command of [program, ...program.commands, ...gates.commands]) command.exitOverride();

try {
  await program.parseAsync();
} catch (error) {
  exitCode = failed(error);
}
process.exitCode = signalCode() || exitCode;

function failed(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.met : EXIT.usage;
  if (signal.aborted) return signalCode();
  io.err(`tandem: ${messageOf(error)}`);
  if (!isHarnessError(error) && io.env['TANDEM_DEBUG'] !== undefined && error instanceof Error)
    io.err(error.stack ?? '');
  return exitCodeOfError(error);
}
