/** One run of a program that reads JSON or writes it: ended with all that it started, and never waited for longer than its limit. */
import { spawn } from 'node:child_process';
import { collectTail, killGroup } from './program-transport.ts';

export type JsonCommand = {
  command: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  input: unknown;
  timeoutMs: number;
  maxBytes: number;
};

/** `late`: it did not end in time, or could not be started; else what it wrote and how it ended. */
export type CommandEnd = { late: string } | { late?: undefined; code: number | null; out: string; complaint: string };

const LAST_WORDS = 500;

/** Contract: an abort rejects with its reason; nothing of the program is left. */
export async function runJsonCommand(job: JsonCommand, signal: AbortSignal): Promise<CommandEnd> {
  signal.throwIfAborted();
  const [file = '', ...args] = job.command;
  const child = spawn(file, args, { cwd: job.cwd, env: { ...job.env }, stdio: 'pipe', detached: true });
  const stop = (): void => killGroup(child, 'SIGKILL');
  let late: string | undefined;
  const timer = setTimeout(() => {
    late = `it did not end within ${job.timeoutMs / 1000} s`;
    stop();
  }, job.timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      late ??= error.message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(`${JSON.stringify(job.input ?? null)}\n`);
  let bytes = 0;
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes <= job.maxBytes) chunks.push(chunk);
    if (bytes <= job.maxBytes || late !== undefined) return;
    late = `it wrote more than ${job.maxBytes} bytes`;
    stop();
  });
  const complaint = collectTail(child.stderr, LAST_WORDS);
  const code = await ended;
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
  stop();
  signal.throwIfAborted();
  return late === undefined ? { code, out: Buffer.concat(chunks).toString('utf8'), complaint: complaint() } : { late };
}
