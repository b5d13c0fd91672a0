/** The contract of a command: streams, flags and the person that it gets, and the exit code that it gives back. */
import type { Log } from '../app/log/log.ts';
import { describeError, HarnessError, type ErrorCode } from '../errors.ts';
import { readMeaning } from '../ports/answer-meaning.ts';
import type { RunState } from '../run/state.ts';
import { TimeSliceUsed } from './ci/time-slice.ts';
import { userInfo } from 'node:os';

/** The streams and the environment of a command, and the signal that stops it. */
export type Call = { io: Io; signal: AbortSignal };

/** Used when commands are registered: `done` takes the exit code. */
export type CommandContext = Call & { done: (code: number | Promise<number>) => Promise<void> };

/** Returns the size and colours of the terminal, or `plainColumns` for output to a file or a pipe. */
export function terminalSize({ screen, env }: Io, plainColumns: number): { columns: number; color: boolean } {
  return { columns: screen?.columns() ?? plainColumns, color: screen?.color ?? isColorForced(env) };
}

/** Reads `FORCE_COLOR` as other programs do: it turns colours on in files and pipes too, whatever NO_COLOR says. */
export function isColorForced({ FORCE_COLOR: force }: Io['env']): boolean {
  return force !== undefined && !['0', 'false'].includes(force);
}

/** Resolves when the command is stopped; servers wait for it. */
export async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Flags that take a text value. */
export type TextFlags<Name extends string> = { [Flag in Name]?: string | undefined };
/** Flags that are either set or absent. */
export type BooleanFlags<Name extends string> = { [Flag in Name]?: boolean | undefined };
export type JsonFlag = BooleanFlags<'json'>;

/** A person left a prompt with Ctrl-C or Ctrl-D: nothing was answered, and everything stays as it is. */
export class PromptLeft extends Error {
  readonly byInterrupt: boolean;
  constructor(message: string, byInterrupt = false) {
    super(message);
    this.byInterrupt = byInterrupt;
  }
}

/** Options of a prompt in addition to the keys of its editor. */
export type PromptOptions = {
  /** Earlier messages, oldest first. */
  history?: readonly string[];
  /** Completion for Tab: takes the line; returns the candidates and the end of the line that they replace. */
  complete?: (line: string) => Promise<[string[], string]>;
  /** Multi-line input: a trailing backslash continues the message, and the first Ctrl-C clears what is typed. */
  many?: boolean;
  /** The initial text of the line. */
  begun?: string;
};

/** Everything that a command may use of the outside world: streams, environment, working directory. */
export type Io = {
  /** One line for people or machines on standard output. */
  out: (line: string) => void;
  /** One line of progress or of an error on standard error. */
  err: (line: string) => void;
  /** Writes raw text to the terminal; called only when `screen` is set. */
  draw: (text: string) => void;
  /** Set when standard error is a terminal that can be redrawn. */
  screen:
    | {
        columns: () => number;
        color: boolean;
        onResize: (redraw: () => void) => () => void;
        /** Called before a line of `out` or `err`, so that a redrawn block starts again below that line. */
        onWords?: (moved: () => void) => () => unknown;
      }
    | undefined;
  /** Set when a person can answer: standard input and output are terminals. */
  ask: ((question: string, signal: AbortSignal, typing?: PromptOptions) => Promise<string>) | undefined;
  /** Takes over Ctrl-C, which otherwise stops the whole command, until the returned function is called. */
  holdInterrupt?: (stop: () => void) => () => void;
  /** Set when a person can answer: keys typed until the returned function is called appear in the next prompt. */
  holdKeys?: (() => Promise<() => void>) | undefined;
  /** Set when log lines replace the screen. */
  log?: Log;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
};

export const EXIT = {
  met: 0,
  notMet: 1,
  usage: 2,
  rejected: 3,
  waiting: 4,
  budget: 5,
  infrastructure: 6,
  timeSlice: 7,
  needsPerson: 8,
  /** Nobody caught an error, which is a fault of Tandem itself. */
  fault: 70,
  interrupted: 130,
} as const;

export const EXIT_MEANS: Readonly<Record<keyof typeof EXIT, string>> = {
  met: 'target met',
  notMet: 'finished, not met',
  usage: 'usage or config',
  rejected: 'rejected, expired or cancelled',
  waiting: 'waiting at a gate',
  budget: 'paused by budget',
  infrastructure: 'provider or infrastructure gave up, safe to run again',
  timeSlice: 'time slice used up, run again',
  needsPerson: 'stuck until a person changes something',
  fault: 'an error that nobody caught: a fault of Tandem itself',
  interrupted: 'stopped by a signal (143 by SIGTERM)',
};

/** Exit codes (docs/ci.md, "What an exit code means"): what a CI job may rely on. */
export function getExitCode(state: RunState): number {
  switch (state.status) {
    case 'succeeded':
      return EXIT.met;
    case 'failed':
      return EXIT.notMet;
    case 'rejected':
    case 'expired':
    case 'cancelled':
      return EXIT.rejected;
    case 'awaiting_approval':
      return EXIT.waiting;
    case 'paused':
      return state.pause.reason === 'budget' ? EXIT.budget : EXIT.infrastructure;
    case 'errored':
      return isPassing(state.failure.code) ? EXIT.infrastructure : EXIT.needsPerson;
    case 'created':
    case 'designing':
    case 'executing':
      return EXIT.infrastructure;
    default:
      return state satisfies never;
  }
}

/** Orders the codes of many runs by severity: the batch takes the first that occurs, and 0 only when all are 0. */
const WORST_FIRST = [
  EXIT.usage,
  EXIT.needsPerson,
  EXIT.infrastructure,
  EXIT.rejected,
  EXIT.notMet,
  EXIT.budget,
  EXIT.waiting,
  EXIT.timeSlice,
] as const;

export function worstExit(codes: readonly number[]): number {
  return WORST_FIRST.find((code) => codes.includes(code)) ?? Math.max(EXIT.met, ...codes);
}

/** A person's input or settings are wrong, and nothing was written. */
const USAGE: readonly ErrorCode[] = [
  'usage',
  'config_invalid',
  'not_found',
  'version_mismatch',
  'unsafe_policy',
  'sandbox_unavailable',
  'gate_refused',
];

/** Errors after which the same command may succeed later, with nothing changed. */
const PASSING: readonly ErrorCode[] = ['model_unavailable', 'infrastructure', 'attempt_lost', 'journal_conflict'];

/** Why a signal stops a command, with the exit code that a shell expects after it. */
export class StoppedBySignal extends Error {
  override name = 'StoppedBySignal';
  readonly exitCode: number;

  constructor(signal: string, exitCode: number) {
    super(signal);
    this.exitCode = exitCode;
  }
}

/** What a stopped command says of what is kept in `dir`, and how to go on. */
export function createStop({ reason }: AbortSignal, advice: string, dir: string): HarnessError {
  return new HarnessError('infrastructure', `${describeError(reason)}: ${advice}`, { details: { dir }, cause: reason });
}

export function getErrorExitCode(error: unknown): number {
  const stop = error instanceof HarnessError ? error.cause : error;
  if (stop instanceof StoppedBySignal) return stop.exitCode;
  if (isUsageError(error)) return EXIT.usage;
  if (error instanceof TimeSliceUsed) return EXIT.timeSlice;
  if (!(error instanceof HarnessError)) return EXIT.infrastructure;
  if (error.code === 'budget_exceeded') return EXIT.budget;
  // A problem with the account is fixed elsewhere, and then the same command continues.
  return isPassing(error.code) || readMeaning(error) === 'account' ? EXIT.infrastructure : EXIT.needsPerson;
}

export function isUsageError(error: unknown): boolean {
  return error instanceof HarnessError && USAGE.includes(error.code);
}

function isPassing(code: string): boolean {
  return PASSING.some((passing) => passing === code);
}

/** Returns `user:<login>`, under which a gate's decision is recorded. `TANDEM_AGENT` says that no person is there. */
export function commandActor(io: Io): string {
  const agent = io.env['TANDEM_AGENT'];
  if (agent !== undefined && agent !== '') return `agent:${sanitizeName(agent) || 'unknown'}`;
  const login = io.env['TANDEM_USER'] ?? io.env['USER'] ?? readLogin();
  return `user:${sanitizeName(login) || 'unknown'}`;
}

function sanitizeName(name: string): string {
  return name.replace(/[^\p{L}\p{N}._@+-]/gu, '_').replace(/^[^\p{L}\p{N}]+/u, '');
}

function readLogin(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a uid that has no name.
    return 'unknown';
  }
}
