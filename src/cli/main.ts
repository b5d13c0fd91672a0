/** argv -> one command -> exit code. */
import { CommanderError } from '@commander-js/extra-typings';
import { findHome, findOwnFile, MARKER, projectNotes, type Home } from '../config/home.ts';
import { isHarnessError, messageOf } from '../errors.ts';
import { isColorForced, type CommandContext } from './call.ts';
import { pathOf } from './command-tree.ts';
import { EXIT, exitCodeOfError } from './exit-code.ts';
import { installLastResort } from './last-resort.ts';
import { PromptLeft, type Io, type Typing } from './io.ts';
import { buildProgram, COMMAND_NAMES } from './program.ts';
import { refuseOnStore } from './store-commands.ts';
import { pasteable, shellCommand } from './shell-command.ts';

/** In files and messages a command is written `tandem …`; here as this shell can run it. */
const shell = shellCommand({ env: process.env, cwd: process.cwd() });
const paste = (text: string): string => pasteable(text, shell, [...COMMAND_NAMES, '--help']);

/** Those who redraw a part of the terminal, and must know when a line of ours comes below it. */
const drawers = new Set<() => void>();

function say(stream: NodeJS.WriteStream, line: string): void {
  if (stream.isTTY) for (const moved of drawers) moved();
  stream.write(`${paste(line)}\n`);
}

function terminal(): Io {
  const { stdin, stdout, stderr, env } = process;
  const color = isColorForced(env) || (env['NO_COLOR'] === undefined && env['TERM'] !== 'dumb');
  return {
    out: (line) => say(stdout, line),
    err: (line) => say(stderr, line),
    draw: (text) => void stderr.write(text),
    screen: stderr.isTTY && env['CI'] === undefined ? screenOf(stderr, color) : undefined,
    ...(stdin.isTTY && stderr.isTTY ? { ask: typed, holdKeys } : { ask: undefined }),
    holdInterrupt,
    env,
    cwd: process.cwd(),
  };
}

async function typed(question: string, stop: AbortSignal, typing?: Typing): Promise<string> {
  return (await import('./typing/type-message.ts')).typeMessage(question, stop, typing);
}

async function holdKeys(): Promise<() => void> {
  return (await import('./typing/keys.ts')).holdKeys();
}

function screenOf(stream: typeof process.stderr, color: boolean): NonNullable<Io['screen']> {
  return {
    columns: () => stream.columns || 100,
    color,
    onResize: (redraw) => {
      stream.on('resize', redraw);
      return () => stream.off('resize', redraw);
    },
    onWords: (moved) => {
      drawers.add(moved);
      return () => drawers.delete(moved);
    },
  };
}

/** Handlers that stop less than the whole command at Ctrl-C, such as one answer; the newest is called. */
const held: (() => void)[] = [];

function holdInterrupt(stop: () => void): () => void {
  held.push(stop);
  return () => void held.splice(held.lastIndexOf(stop), 1);
}

/** The first signal stops cleanly and saves the state; the second one ends at once. */
function interruptible(): { signal: AbortSignal; code: () => number } {
  const stop = new AbortController();
  let code = 0;
  for (const [name, number] of [
    ['SIGINT', EXIT.interrupted],
    ['SIGTERM', 143],
  ] as const) {
    process.on(name, () => {
      const holder = name === 'SIGINT' ? held.at(-1) : undefined;
      if (holder !== undefined) return holder();
      if (code !== 0) process.exit(number);
      code = number;
      io.err(`\n${name}: stopping; what is paid for is saved (press again to stop at once)`);
      stop.abort(new Error(name));
    });
  }
  return { signal: stop.signal, code: () => code };
}

const LINGER_MS = 2000;
const io = terminal();

// Who reads our output may stop early (`tandem … | head`), or have no room for it: the work goes on, only the words are lost. What somebody
// waits for and did not get is no success, though.
let isUnsaid = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || isUnsaid) return;
  isUnsaid = true;
  io.err(`tandem: standard output cannot be written (${error.code ?? error.message}); what was printed is not whole.`);
});
// There is nowhere left to say that this cannot be written.
process.stderr.on('error', () => undefined);
process.on('exit', () => {
  if (isUnsaid && process.exitCode === EXIT.met) process.exitCode = EXIT.infrastructure;
});
installLastResort(io.err);
const { signal, code: signalCode } = interruptible();
let exitCode: number = EXIT.met;
/** Whoever reads the last line of standard output finds a value there, also after a failure. */
let wantsJson = false;
const call: CommandContext = {
  io,
  signal,
  done: async (code) => {
    exitCode = await code;
  },
};

const program = await buildProgram(call, { shown: paste, wanted: process.argv[2] });

program.hook('preAction', async (_program, command) => {
  wantsJson = command.opts()['json'] === true;
  const home = findHome(io.cwd);
  for (const note of projectNotes(home, io.cwd)) io.err(note);
  if (findOwnFile(home, MARKER) !== undefined) await useOwnStore(home);
  refuseOnStore(pathOf(command), io.env);
});

try {
  if (/^https?_proxy$/im.test(Object.keys(io.env).join('\n')))
    await (await import('../app/use-proxy.ts')).useProxy(io.env);
  await program.parseAsync();
} catch (error) {
  exitCode = await failed(error);
}
if (io.env['TANDEM_STORE'] !== undefined) {
  try {
    await (await import('../app/open-store.ts')).closeStores();
  } catch (error) {
    exitCode = await failed(error);
  }
}
process.exitCode = signalCode() || exitCode;
// A connection that still looks for a server which is away would keep what a signal has ended.
if (signalCode() !== 0) setTimeout(() => process.exit(), LINGER_MS).unref();

/** As if the variable had said it: also for programs that this one starts. */
async function useOwnStore(home: Home): Promise<void> {
  const store = await (await import('../config/project-store.ts')).storeOfProject(home, io.env);
  if (store !== undefined) process.env['TANDEM_STORE'] = store;
}

/** A command line that cannot be read; what is wrong with it is printed already. */
function misspelt(error: CommanderError): number {
  if (error.exitCode === 0) return EXIT.met;
  const message =
    error.code === 'commander.help' ? 'Say which command: --help lists them.' : error.message.replace(/^error: /, '');
  // Its options are not parsed, so the words themselves are asked.
  if (process.argv.includes('--json')) io.out(JSON.stringify({ error: 'usage', message, exitCode: EXIT.usage }));
  return EXIT.usage;
}

async function failed(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return misspelt(error);
  if (signal.aborted) return signalCode();
  if (error instanceof PromptLeft) {
    io.err(`\n${error.message}`);
    return EXIT.interrupted;
  }
  const advice = (await import('../disk/disk-fault.ts')).adviceOn(error);
  const message = advice === undefined ? messageOf(error) : `${messageOf(error).replace(/\.$/, '')}. ${advice}`;
  io.err(`tandem: ${message}`);
  if (!isHarnessError(error) && io.env['TANDEM_DEBUG'] !== undefined && error instanceof Error)
    io.err(error.stack ?? '');
  const code = exitCodeOfError(error);
  if (wantsJson)
    io.out(
      JSON.stringify({
        error: isHarnessError(error) ? error.code : 'infrastructure',
        message,
        exitCode: code,
      }),
    );
  return code;
}
