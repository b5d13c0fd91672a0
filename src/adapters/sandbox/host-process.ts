/** One live, isolated host: spawned, called, and killed with everything that it has started. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { HarnessError, describeError } from '../../errors.ts';
import type { HostRequest } from './host.ts';
import { collectTail, killGroup } from '../mcp/program-transport.ts';
import { hostOutcomes, hostFailure, type HostOutcomes } from './host-outcomes.ts';
import { readLines, type Lines } from './host-channel.ts';
import { createValueCache, type CachedValue, type ValueCache } from './shared-values.ts';

/** The command that starts a host, with its isolation first. */
export type Launch = {
  file: string;
  args: string[];
  cwd: string;
  /** The whole environment of the process; default: empty. */
  env?: Readonly<Record<string, string>>;
  /** The filter on system calls, passed on file descriptor 4. */
  filter?: Buffer;
};

/** `args` as JSON, and the members that place shared values in them. */
export type GivenArguments = { args: string; places: string };

export type HostCall = Pick<HostRequest, 'module' | 'name' | 'returnsArgs'> & {
  /** The number of answers wanted, each from a fresh state; a host may give fewer in one message. */
  times: number;
  /** The same object in several calls of one message travels once. */
  given: GivenArguments;
  /** Values that the host must cache before the call. */
  keeps: readonly CachedValue[];
  /** The source of the module, for a host that cannot read the file. */
  source?: string | undefined;
};

export type ModuleText = { module: string; source?: string | undefined };

/** The time limit covers the whole question to one module. */
export type HostLimits = { timeoutMs: number; signal: AbortSignal };

export type HostProcess = {
  /** Contract: once at a time, with several calls only where its kind takes them. `over`: this process must not be called again. */
  ask(calls: readonly HostCall[], limits: HostLimits): Promise<HostOutcomes[]>;
  kill(): Promise<void>;
};

const START_MS = 20_000;
const KILL_MS = 1000;
/** Characters of the end of standard error, which say why a host has ended. */
const LAST_WORDS = 2000;

/** Starts a host and waits until it listens. It inherits nothing of our environment. */
export async function startHost({ file, args, cwd, env = {}, filter }: Launch): Promise<HostProcess> {
  const extra = filter === undefined ? [] : (['pipe'] as const);
  const stdio = ['pipe', 'ignore', 'pipe', 'pipe', ...extra] as const;
  const child = spawn(file, args, { stdio: [...stdio], env, cwd, detached: true });
  if (filter !== undefined) giveFilter(child, filter);
  setReferenced(child, 'unref');
  const stderr = collectTail(child.stderr, LAST_WORDS);
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`it could not be started: ${describeError(error)}`));
    child.once('exit', (code, killedBy) => resolve(describeExit(code, killedBy, stderr())));
  });
  const lines = readLines(child.stdio[3] as Readable, exited);
  // The exit of the process reports a broken pipe.
  child.stdin?.on('error', () => undefined);
  // Closed means that every process holding the pipes is gone, isolated ones included; one second is ample.
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const kill = async (): Promise<void> => {
    setReferenced(child, 'ref');
    killRunning(child);
    await exited;
    await Promise.race([closed, delay(KILL_MS, undefined, { ref: false })]);
  };
  const first = await lines.next(START_MS, (reply) => 'ready' in reply);
  if (first.type !== 'line') {
    await kill();
    const message = `The sandbox host did not start: ${first.message}`;
    throw new HarnessError('sandbox_unavailable', message, { retryable: true, details: { file } });
  }
  const running = { child, lines, kill, cache: createValueCache() };
  return { ask: (calls, limits) => Promise.all(calls.map((one) => callHost(running, one, limits))), kill };
}

/** An open host does not keep this process alive; the timer of a pending call does. */
function setReferenced(child: ChildProcess, how: 'ref' | 'unref'): void {
  child[how]();
  for (const pipe of child.stdio) (pipe as Socket | null | undefined)?.[how]();
}

function giveFilter(child: ChildProcess, filter: Buffer): void {
  const pipe = child.stdio[4] as Writable | null | undefined;
  // The exit of the process reports a failed start.
  pipe?.on('error', () => undefined);
  pipe?.end(filter);
}

type RunningHost = {
  child: ChildProcess;
  lines: Lines;
  kill: () => Promise<void>;
  cache: ValueCache;
};

async function callHost(running: RunningHost, question: HostCall, given: HostLimits): Promise<HostOutcomes> {
  const { keeps, module, name, returnsArgs, source } = question;
  const { args, places } = question.given;
  // Large values take much memory, so that their answers are given one after the other.
  const times = keeps.length === 0 ? question.times : 1;
  const limits = { signal: given.signal, timeoutMs: (given.timeoutMs / question.times) * times };
  for (const { name: keep, text, drop } of keeps.length === 0 ? [] : running.cache.put(keeps)) {
    const outcome = await sendQuestion(running, { head: { keep, drop }, parts: [',"json":', text] }, limits);
    if (outcome.over) return outcome;
  }
  // Large arguments are written separately, because joining them with the rest would copy them once more.
  const head = { module, name, returnsArgs, source, times };
  return sendQuestion(running, { head, parts: [`,"args":`, args, `,${places}`], times }, limits);
}

/** `parts` are texts that follow the members of `head`; at most so many answers are taken as `times`. */
type HostMessage = { head: object; parts: readonly string[]; times?: number };

async function sendQuestion(
  { child, lines, kill }: RunningHost,
  { head, parts, times = 1 }: HostMessage,
  { timeoutMs, signal }: HostLimits,
): Promise<HostOutcomes> {
  signal.throwIfAborted();
  const token = randomUUID();
  const abort = (): void => killRunning(child);
  signal.addEventListener('abort', abort, { once: true });
  try {
    child.stdin?.cork();
    child.stdin?.write(JSON.stringify({ token, ...head }).slice(0, -1));
    for (const part of parts) child.stdin?.write(part);
    child.stdin?.write('}\n');
    child.stdin?.uncork();
    const event = await lines.next(timeoutMs, (reply) => reply['token'] === token);
    signal.throwIfAborted();
    if (event.type === 'line') return hostOutcomes(event.reply, times);
    await kill();
    return { outcomes: [hostFailure(event.type, event.message)], over: true };
  } finally {
    signal.removeEventListener('abort', abort);
  }
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

function killRunning(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null) killGroup(child, 'SIGKILL');
}
