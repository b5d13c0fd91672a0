/** Runs one command of this program in a process of its own, so that a crash affects no other call. */
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../own-file.ts';

export type CallEnvironment = { cwd: string; env: Readonly<Record<string, string | undefined>> };
export type CallResult = { code: number; out: string; err: string };

/** The most characters kept of one answer. */
const MOST_CHARS = 8_000_000;

const PROGRAM = join(packageFolder(), 'bin/tandem.js');

export async function callTandem(
  args: readonly string[],
  { cwd, env }: CallEnvironment,
  signal: AbortSignal,
): Promise<CallResult> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], signal });
  const [out, err] = [collectText(child.stdout), collectText(child.stderr)];
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, out: out(), err: err() }));
  });
}

/**
 * Starts work that outlives this process and writes its output to `log`. Resolves with undefined when `begun` is true,
 * or with the exit code when the process ends before, for example because a scenario cannot run.
 */
export async function startTandem(
  args: readonly string[],
  { cwd, env, log, begun }: CallEnvironment & { log: string; begun: () => boolean },
): Promise<number | undefined> {
  const words = openSync(log, 'a', 0o600);
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', words, words],
  });
  child.unref();
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  for (;;) {
    const code = await Promise.race([ended, waitMs(LOOK_MS)]);
    if (code !== undefined) return code;
    if (begun()) return undefined;
  }
}

const LOOK_MS = 50;

function waitMs(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms);
  });
}

function collectText(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  let length = 0;
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    length += chunk.length;
    text = (text + chunk).slice(0, MOST_CHARS);
  });
  return () => (length > MOST_CHARS ? `${text}\n[cut: ${length} characters]` : text);
}
