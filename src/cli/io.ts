/** What a command touches of the world outside, and how a person leaves a prompt. */
import type { Log } from '../app/log/log.ts';

/** A person left a prompt with Ctrl-C or Ctrl-D: nothing was answered, and everything stays as it is. */
export class PromptLeft extends Error {
  readonly byInterrupt: boolean;
  constructor(message: string, byInterrupt = false) {
    super(message);
    this.byInterrupt = byInterrupt;
  }
}

/** What a prompt offers in addition to the keys of its editor. */
export type Typing = {
  /** Earlier messages, oldest first. */
  history?: readonly string[];
  /** For Tab: what may stand in the place of the end of the line, and that end. */
  complete?: (line: string) => Promise<[string[], string]>;
  /** For messages: a line that ends with a backslash goes on, and Ctrl-C takes what is typed away before it leaves. */
  many?: boolean;
  /** The initial text of the line. */
  begun?: string;
};

/** What a command may touch of the world outside: its streams, its environment, its working directory. */
export type Io = {
  /** One line for people or machines on standard output. */
  out: (line: string) => void;
  /** One line of progress or complaint on standard error. */
  err: (line: string) => void;
  /** Raw text to the terminal: only ever called when `screen` is set. */
  draw: (text: string) => void;
  /** Set when standard error is a terminal that can be redrawn. */
  screen:
    | {
        columns: () => number;
        color: boolean;
        onResize: (redraw: () => void) => () => void;
        /** Before a line of `out` or `err`: what is redrawn begins anew below it, and does not write over it. */
        onWords?: (moved: () => void) => () => unknown;
      }
    | undefined;
  /** Set when a person can answer: standard input and output are terminals. */
  ask: ((question: string, signal: AbortSignal, typing?: Typing) => Promise<string>) | undefined;
  /** Takes Ctrl-C while it is held, in the place of the whole command; returns what lets go. */
  holdInterrupt?: (stop: () => void) => () => void;
  /** Set when a person can answer: what they type until it is released appears in the next prompt. */
  holdKeys?: (() => Promise<() => void>) | undefined;
  /** Set when lines of a log take the place of the screen. */
  log?: Log;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
};
