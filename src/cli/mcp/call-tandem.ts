/** One command line of this same program, as a process of its own: what one call breaks, no other one notices. */
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../own-file.ts';

export type Where = { cwd: string; env: Readonly<Record<string, string | undefined>> };
export type Called = { code: number; out: string; err: string };

/** The most that is held of one answer. */
const MOST_CHARS = 8_000_000;

const PROGRAM = join(packageFolder(), 'bin/tandem.js');

export async function callTandem(args: readonly string[], { cwd, env }: Where, signal: AbortSignal): Promise<Called> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], signal });
  const [out, err] = [collect(child.stdout), collect(child.stderr)];
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, out: out(), err: err() }));
  });
}

/**
 * Begins work that outlives this process; its words go to `log`. `begun` says whether it is under way; resolves with its end
 * where that comes first, such as a scenario that cannot run.
 */
export async function beginTandem(
  args: readonly string[],
  { cwd, env, log, begun }: Where & { log: string; begun: () => boolean },
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
    const code = await Promise.race([ended, later(LOOK_MS)]);
    if (code !== undefined) return code;
    if (begun()) return undefined;
  }
}

const LOOK_MS = 50;

function later(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms);
  });
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  let length = 0;
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    length += chunk.length;
    text = (text + chunk).slice(0, MOST_CHARS);
  });
  return () => (length > MOST_CHARS ? `${text}\n[cut: ${length} characters]` : text);
}
