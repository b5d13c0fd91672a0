/** The only access of commands to the outside world, and the error for a prompt that a person left. */
import type { Log } from '../app/log/log.ts';

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
