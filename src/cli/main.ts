/** argv -> one command -> exit code. */
import { Command, CommanderError } from '@commander-js/extra-typings';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isHarnessError, messageOf } from '../errors.ts';
import { packageFolder } from '../own-file.ts';
import { addContextCommands } from './context/commands.ts';
import { addControlCommands } from './run/control-commands.ts';
import { addEvaluationCommands } from './evaluate/commands.ts';
import { addGateCommands } from './gates/commands.ts';
import { addViewCommands } from './run/look-commands.ts';
import { addRunCommands } from './run/commands.ts';
import { addServiceCommands } from './serve/commands.ts';
import { addSessionCommands } from './sessions/commands.ts';
import { askOnTerminal } from './gates/ask-reviewer.ts';
import { EXIT, exitCodeOfError } from './exit-code.ts';
import type { Io } from './io.ts';

const { version } = JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as {
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

// Who reads our output may stop early (`tandem … | head`): the work goes on, only the words are lost.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

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

const call = { io, signal, done };
addRunCommands(program, call);
addGateCommands(program, call);
addViewCommands(program, call);
addContextCommands(program, call);
addControlCommands(program, call);
addEvaluationCommands(program, call);
addServiceCommands(program, call);
addSessionCommands(program, call);

for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
  command.exitOverride();
}

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
