/** Parses the arguments, runs one command and sets the exit code. */
import { CommanderError } from '@commander-js/extra-typings';
import { findHome, findOwnFile, MARKER, describeProject, type Home } from '../config/home.ts';
import { isHarnessError, describeError } from '../errors.ts';
import {
  isColorForced,
  type CommandContext,
  EXIT,
  getErrorExitCode,
  PromptLeft,
  StoppedBySignal,
  type Io,
  type PromptOptions,
} from './command-context.ts';
import { installFaultHandler } from './uncaught-errors.ts';
import { buildProgram, COMMAND_NAMES } from './program.ts';
import { toPasteable, findShellCommand } from './shell-command.ts';

/** The words to type in the place of commands and options that are gone (docs/decisions/2026-11-27-what-went.md). */
const SAMPLES_NEEDED = 'tandem plan samples --target <share>, whose table says how many of how many must pass';

const LIVE = 'calls are made live: caching is on, and a cheaper model may play users and graders (docs/money.md)';

/** All words of a key stand on the command line, in any order. */
const INSTEAD: Readonly<Record<string, string>> = {
  'sessions resume': 'tandem resume <run>, and tandem session --resume <session> for one of your own',
  'plan --samples': SAMPLES_NEEDED,
  'plan --rate': SAMPLES_NEEDED,
  'plan --chance': SAMPLES_NEEDED,
  '--economy': LIVE,
  '--live-after': LIVE,
};

/** Returns one sentence for a command line that holds something that is gone; undefined for any other. */
function findReplacement(args: readonly string[]): string | undefined {
  const gone = Object.keys(INSTEAD).find((words) => words.split(' ').every((word) => args.includes(word)));
  return gone === undefined ? undefined : `tandem ${gone} is gone. Instead: ${INSTEAD[gone]}.`;
}

/** Messages and files write commands as `tandem …`; output shows them as this shell can run them. */
const tandemCommand = findShellCommand({ env: process.env, cwd: process.cwd() });
const formatForShell = (text: string): string => toPasteable(text, tandemCommand, [...COMMAND_NAMES, '--help']);

/** Called before a line is written to the terminal, so that a redrawn block continues below that line. */
const redrawListeners = new Set<() => void>();

function writeLine(stream: NodeJS.WriteStream, line: string): void {
  if (stream.isTTY) for (const moved of redrawListeners) moved();
  stream.write(`${formatForShell(line)}\n`);
}

function openTerminalIo(): Io {
  const { stdin, stdout, stderr, env } = process;
  const color = isColorForced(env) || (env['NO_COLOR'] === undefined && env['TERM'] !== 'dumb');
  return {
    out: (line) => writeLine(stdout, line),
    err: (line) => writeLine(stderr, line),
    draw: (text) => void stderr.write(text),
    screen: stderr.isTTY && env['CI'] === undefined ? openScreen(stderr, color) : undefined,
    ...(stdin.isTTY && stderr.isTTY ? { ask: promptMessage, holdKeys } : { ask: undefined }),
    holdInterrupt,
    env,
    cwd: process.cwd(),
  };
}

async function promptMessage(question: string, stop: AbortSignal, typing?: PromptOptions): Promise<string> {
  return (await import('./typing/type-message.ts')).typeMessage(question, stop, typing);
}

async function holdKeys(): Promise<() => void> {
  return (await import('./typing/keys.ts')).holdKeys();
}

function openScreen(stream: typeof process.stderr, color: boolean): NonNullable<Io['screen']> {
  return {
    columns: () => stream.columns || 100,
    color,
    onResize: (redraw) => {
      stream.on('resize', redraw);
      return () => stream.off('resize', redraw);
    },
    onWords: (moved) => {
      redrawListeners.add(moved);
      return () => redrawListeners.delete(moved);
    },
  };
}

/** Handlers for Ctrl-C that stop less than the whole command, such as one answer; the newest is called. */
const interruptHandlers: (() => void)[] = [];

function holdInterrupt(stop: () => void): () => void {
  interruptHandlers.push(stop);
  return () => void interruptHandlers.splice(interruptHandlers.lastIndexOf(stop), 1);
}

/** The first signal stops the command cleanly and saves its state; the second ends the process at once. */
function handleSignals(): { signal: AbortSignal; code: () => number } {
  const stop = new AbortController();
  let code = 0;
  for (const [name, number] of [
    ['SIGINT', EXIT.interrupted],
    ['SIGTERM', 143],
  ] as const) {
    process.on(name, () => {
      const holder = name === 'SIGINT' ? interruptHandlers.at(-1) : undefined;
      if (holder !== undefined) return holder();
      if (code !== 0) {
        const message = `${name} was the second signal: it ended at once. What is paid for is saved, and the same command goes on.`;
        printErrorJson({ error: 'stopped', message, exitCode: number });
        process.exit(number);
      }
      code = number;
      io.err(`\n${name}: stopping; what is paid for is saved (press again to stop at once)`);
      stop.abort(new StoppedBySignal(name, number));
    });
  }
  return { signal: stop.signal, code: () => code };
}

const LINGER_MS = 2000;
const io = openTerminalIo();

// A reader may close our output early (`tandem … | head`) or run out of space: the work goes on without output.
// Output that somebody waits for and did not get is no success, though, except for a closed pipe.
let isOutputLost = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || isOutputLost) return;
  isOutputLost = true;
  io.err(`tandem: standard output cannot be written (${error.code ?? error.message}); what was printed is not whole.`);
});
// An error of standard error itself cannot be reported anywhere.
process.stderr.on('error', () => undefined);
process.on('exit', () => {
  if (isOutputLost && process.exitCode === EXIT.met) process.exitCode = EXIT.infrastructure;
});
installFaultHandler(io.err);
const { signal, code: signalCode } = handleSignals();
let exitCode: number = EXIT.met;
/** With --json the last line of standard output is a JSON value, also after a failure. */
let wantsJson = false;
const call: CommandContext = {
  io,
  signal,
  done: async (code) => {
    exitCode = await code;
  },
};

const isBrief = !process.argv.includes('--all');
const program = await buildProgram(call, { shown: formatForShell, wanted: process.argv[2], isBrief });

program.hook('preAction', async (_program, command) => {
  wantsJson = command.opts()['json'] === true;
  const home = findHome(io.cwd);
  for (const note of describeProject(home, io.cwd)) io.err(note);
  if (findOwnFile(home, MARKER) !== undefined) await useOwnStore(home);
});

try {
  if (/^https?_proxy$/im.test(Object.keys(io.env).join('\n')))
    await (await import('../app/use-proxy.ts')).useProxy(io.env);
  await program.parseAsync();
} catch (error) {
  exitCode = await reportFailure(error);
}
if (io.env['TANDEM_STORE'] !== undefined) {
  try {
    await (await import('../app/open-store.ts')).closeStores();
  } catch (error) {
    exitCode = await reportFailure(error);
  }
}
process.exitCode = signalCode() || exitCode;
// An open connection to an unreachable server would otherwise keep a process that a signal has ended.
if (signalCode() !== 0) setTimeout(() => process.exit(), LINGER_MS).unref();

/** Sets TANDEM_STORE from the project's configuration, also for programs that this process starts. */
async function useOwnStore(home: Home): Promise<void> {
  const store = await (await import('../config/project.ts')).readStoreSetting(home, io.env);
  if (store !== undefined) process.env['TANDEM_STORE'] = store;
}

/** Returns the exit code of an unreadable command line, whose error commander has already printed. */
function reportUsageError(error: CommanderError): number {
  if (error.exitCode === 0) return EXIT.met;
  const why =
    error.code === 'commander.help' ? 'Say which command: --help lists them.' : error.message.replace(/^error: /, '');
  const instead = findReplacement(process.argv.slice(2));
  if (instead !== undefined) io.err(instead);
  const message = instead === undefined ? why : `${why}. ${instead}`;
  // The options are not parsed then, so --json is looked up in the arguments.
  if (process.argv.includes('--json')) io.out(JSON.stringify({ error: 'usage', message, exitCode: EXIT.usage }));
  return EXIT.usage;
}

async function reportFailure(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return reportUsageError(error);
  if (signal.aborted) return reportStop(error);
  if (error instanceof PromptLeft) {
    io.err(`\n${error.message}`);
    return EXIT.interrupted;
  }
  const advice = (await import('../disk/disk-fault.ts')).findAdvice(error);
  const message = advice === undefined ? describeError(error) : `${describeError(error).replace(/\.$/, '')}. ${advice}`;
  // A message may quote a file of somebody else, whose control characters are commands to a terminal.
  const { terminalLines } = await import('../report/text/sanitise.ts');
  for (const [row, line] of terminalLines(message).entries()) io.err(row === 0 ? `tandem: ${line}` : line);
  if (!isHarnessError(error) && io.env['TANDEM_DEBUG'] !== undefined && error instanceof Error)
    io.err(error.stack ?? '');
  const code = getErrorExitCode(error);
  printErrorJson({ error: isHarnessError(error) ? error.code : 'infrastructure', message, exitCode: code });
  return code;
}

/** An error that a signal caused says how to go on; any other error after a signal is a consequence of it. */
function reportStop(error: unknown): number {
  const isAdvice = isHarnessError(error) && error.cause === signal.reason;
  const message = isAdvice ? error.message : describeError(signal.reason);
  if (isAdvice) io.err(`tandem: ${message}`);
  printErrorJson({ error: 'stopped', message, exitCode: signalCode() });
  return signalCode();
}

function printErrorJson(failure: { error: string; message: string; exitCode: number }): void {
  if (wantsJson) io.out(JSON.stringify(failure));
}
