/**
 * Messages with a program over its standard streams, one JSON a line. The library's own transport starts no process group, so
 * what a server has started itself would outlive it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { parseJson } from '../../parse-json.ts';

export type ProgramOptions = {
  command: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** The longest message; a longer one ends the connection. */
  maxBytes: number;
};

/** The number of characters that are kept of the end of the error stream, for a person. */
const LAST_WORDS = 1000;
/** The pause between the end of the program's input, SIGTERM and SIGKILL. */
const GRACE_MS = 300;

export class ProgramTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** Returns the end of the program's error stream. */
  readLastWords: () => string = () => '';
  readonly #options: ProgramOptions;
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { command, cwd, env, maxBytes } = this.#options;
    const [file = '', ...args] = command;
    const child = spawn(file, args, { cwd, env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('close', () => {
        resolve();
        this.onclose?.();
      });
    });
    const started = new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    // Writing to a program that has ended fails on its own; the `close` event reports the end.
    child.stdin?.on('error', () => undefined);
    this.readLastWords = collectTail(child.stderr, LAST_WORDS);
    const takeChunk = readLines(maxBytes, {
      line: (text) => this.#receive(text),
      tooLong: () => this.#fail(new Error(`a message of more than ${maxBytes} bytes`)),
    });
    child.stdout?.on('data', takeChunk);
    await started;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === null || stdin === undefined || !stdin.writable) throw new Error('the program has ended');
    // A program that does not read must not block the call, whose time limit ends it.
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    child.stdin?.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await Promise.race([this.#ended.then(() => true), delay(GRACE_MS, false, { ref: false })])) break;
      killGroup(child, signal);
    }
    // Afterwards no child of the program holds one of our streams open.
    killGroup(child, 'SIGKILL');
    child.stdout?.destroy();
    child.stderr?.destroy();
    await this.#ended;
  }

  #receive(line: string): void {
    // Programs print to the wrong stream, so a line that is no message is ignored.
    const message = parseJson(line) as JSONRPCMessage | null | undefined;
    if (typeof message === 'object' && message?.jsonrpc === '2.0') this.onmessage?.(message);
  }

  #fail(error: Error): void {
    this.onerror?.(error);
    if (this.#child !== undefined) killGroup(this.#child, 'SIGKILL');
  }
}

/** Signals the whole process group, so that programs which the server started end too. */
export function killGroup({ pid }: Pick<ChildProcess, 'pid'>, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has no process any more.
  }
}

/** Returns the end of what a program has written to its error stream so far. */
export function collectTail(stream: Readable | null, most: number): () => string {
  let tail = '';
  stream?.on('error', () => undefined);
  stream?.setEncoding('utf8').on('data', (text: string) => {
    const all = tail + text;
    // Whole words only, because half a key would not be recognized.
    tail = all.length <= most ? all : all.slice(-most).replace(/^\S+/, '');
  });
  return () => tail;
}

/** Joins chunks only when a line is whole, so that input without line breaks costs its own bytes and no more. */
function readLines(
  maxBytes: number,
  { line, tooLong }: { line: (text: string) => void; tooLong: () => void },
): (chunk: Buffer) => void {
  let open: Buffer[] = [];
  let length = 0;
  let isOver = false;
  return (chunk) => {
    if (isOver) return;
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      const text = Buffer.concat([...open, chunk.subarray(from, end)]).toString('utf8');
      [open, length, from] = [[], 0, end + 1];
      if (text.trim() !== '') line(text);
    }
    const rest = chunk.subarray(from);
    if (rest.length > 0) open.push(rest);
    length += rest.length;
    if (length <= maxBytes) return;
    isOver = true;
    open = [];
    tooLong();
  };
}
