/** One live host behind its walls: spawned, asked, and killed with all that it started. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import type { SandboxOutcome } from '../../ports/sandbox.ts';
import type { HostReply, HostRequest } from './host.ts';
import { readLines, type JsonObject, type Lines } from './host-channel.ts';

/** The command that starts a host, walls first. */
export type Launch = {
  file: string;
  args: string[];
  cwd: string;
  /** All of its environment; default: nothing. */
  env?: Readonly<Record<string, string>>;
  /** The filter on system calls, handed over on file descriptor 4. */
  filter?: Buffer;
};

type Asked = { outcome: SandboxOutcome; over: boolean };

export type HostProcess = {
  /** Contract: one question at a time. `over` = this process must not be asked again. */
  ask(request: Omit<HostRequest, 'token'>, timeoutMs: number, signal: AbortSignal): Promise<Asked>;
  kill(): Promise<void>;
};

const START_MS = 20_000;
const KILL_MS = 1000;
const MAX_DEPTH = 200;

/** Starts a host and waits until it listens; nothing of our own environment reaches it. */
export async function startHost({ file, args, cwd, env = {}, filter }: Launch): Promise<HostProcess> {
  const extra = filter === undefined ? [] : (['pipe'] as const);
  const stdio = ['pipe', 'ignore', 'pipe', 'pipe', ...extra] as const;
  const child = spawn(file, args, { stdio: [...stdio], env, cwd, detached: true });
  if (filter !== undefined) giveFilter(child, filter);
  const stderr = tailOf(child.stderr);
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`it could not be started: ${error.message}`));
    child.once('exit', (code, killedBy) => resolve(describeExit(code, killedBy, stderr())));
  });
  const lines = readLines(child.stdio[3] as Readable, exited);
  // A pipe that breaks is reported by the exit of the process.
  child.stdin?.on('error', () => undefined);
  // Closed = every process that held the pipes is gone, also those behind the walls; a second is more than they need.
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const kill = async (): Promise<void> => {
    killGroup(child);
    await exited;
    await Promise.race([closed, delay(KILL_MS, undefined, { ref: false })]);
  };
  const first = await lines.next(START_MS, (reply) => 'ready' in reply);
  if (first.type !== 'line') {
    await kill();
    throw new HarnessError('sandbox_unavailable', `The sandbox host did not start: ${first.message}`, {
      retryable: true,
      details: { file },
    });
  }
  return { ask: (request, timeoutMs, signal) => ask({ child, lines, kill }, request, timeoutMs, signal), kill };
}

function giveFilter(child: ChildProcess, filter: Buffer): void {
  const pipe = child.stdio[4] as Writable | null | undefined;
  // When it never starts, its exit tells so.
  pipe?.on('error', () => undefined);
  pipe?.end(filter);
}

type Running = { child: ChildProcess; lines: Lines; kill: () => Promise<void> };

async function ask(
  { child, lines, kill }: Running,
  request: Omit<HostRequest, 'token'>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Asked> {
  signal.throwIfAborted();
  const token = randomUUID();
  const abort = (): void => killGroup(child);
  signal.addEventListener('abort', abort, { once: true });
  try {
    child.stdin?.write(`${JSON.stringify({ ...request, token })}\n`);
    const event = await lines.next(timeoutMs, (reply) => reply['token'] === token);
    signal.throwIfAborted();
    if (event.type === 'line') return answered(event.reply);
    await kill();
    return failed(event.type, event.message, true);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The code shares its process with the host and might have forged the line: only its shape can be checked. */
const Reply = z.union([
  z.object({ spent: z.boolean(), ok: z.literal(true), value: z.unknown().optional(), args: z.array(z.unknown()) }),
  z.object({
    spent: z.boolean(),
    ok: z.literal(false),
    kind: z.enum(['threw', 'bad_module', 'too_large']),
    message: z.string(),
  }),
]);

function answered(line: JsonObject): Asked {
  const reply = Reply.safeParse(line).data as HostReply | undefined;
  if (reply === undefined) return failed('crashed', 'its answer does not have the shape of an answer', true);
  if (!reply.ok) return failed(reply.kind, reply.message, reply.spent);
  const { value, args, spent } = reply;
  const fault = shapeFault([value, args]);
  if (fault === 'deep') return failed('too_large', `nested more than ${MAX_DEPTH} levels deep`, spent);
  if (fault === 'number') return failed('threw', 'the answer holds a number that is too large for JSON', spent);
  return { outcome: { ok: true, value, args }, over: spent };
}

function failed(kind: Extract<SandboxOutcome, { ok: false }>['kind'], message: string, over: boolean): Asked {
  return { outcome: { ok: false, kind, message: message.slice(0, 2000) }, over };
}

/** Walks with its own stack: the answer of hostile code must not overflow ours. */
function shapeFault(value: unknown): 'deep' | 'number' | undefined {
  const rest: [unknown, number][] = [[value, 0]];
  for (let item = rest.pop(); item !== undefined; item = rest.pop()) {
    const [node, depth] = item;
    if (typeof node === 'number' && !Number.isFinite(node)) return 'number';
    if (typeof node !== 'object' || node === null) continue;
    if (depth > MAX_DEPTH) return 'deep';
    for (const child of Object.values(node)) rest.push([child, depth + 1]);
  }
  return undefined;
}

/** The last two thousand characters of what the code wrote to standard error. */
function tailOf(stream: Readable | null): () => string {
  let tail = '';
  stream?.setEncoding('utf8');
  stream?.on('error', () => undefined);
  stream?.on('data', (chunk: string) => {
    tail = (tail + chunk).slice(-2000);
  });
  return () => tail;
}

function describeExit(code: number | null, killedBy: NodeJS.Signals | null, stderr: string): string {
  if (stderr.includes('heap out of memory') || stderr.includes('Reached heap limit')) return 'it used up its memory';
  if (code === 13) return 'the promise that it returned never settles';
  const how = killedBy === null ? `exit code ${code}` : killedBy;
  const last = stderr
    .split('\n')
    .filter((line) => /^\w*Error\b/.test(line))
    .at(-1);
  return `its process ended (${how})${last === undefined ? '' : `: ${last}`}`;
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (alreadyGone) {
    // ESRCH: the group ended by itself in the meantime.
    void alreadyGone;
  }
}
