/** The QuickJS sandbox: plain JavaScript in worker threads, on any machine. Its code can reach no file, network or process. */
import { readFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { HarnessError } from '../../errors.ts';
import { ownFile, readOwnText } from '../../own-file.ts';
import type { OpenSandbox, Sandbox, SandboxOutcome } from '../../ports/sandbox.ts';
import { hostOutcomes, hostFailure, type HostOutcomes } from '../sandbox/host-outcomes.ts';
import type { HostProcess, HostCall, HostLimits } from '../sandbox/host-process.ts';
import { createSandboxSession } from '../sandbox/sandbox-session.ts';
import { createValueCache, type ValueCache } from '../sandbox/shared-values.ts';
import { MAX_CHARS, memoryCapsFor } from '../sandbox/limits.ts';
import type { WorkerAnswer, WorkerData, WorkerQuestion } from './worker-messages.ts';

/** QuickJS checks its own deadline; a thread that has not answered this long after the deadline is terminated. */
const GRACE_MS = 500;
export const MB = 1024 ** 2;

/** The number of threads kept for the next session: a start takes longer than all calls of most components. */
const IDLE_THREADS = 4;

/** Shared by the whole process, as a thread keeps nothing of the sandbox that it served. Some are still starting. */
const idle: { memoryBytes: number; thread: Promise<Thread> }[] = [];

/** Starts the thread that the first session on this folder will need. */
export function startThreadFor(dir: string): void {
  const memoryBytes = memoryCapsFor(dir).heapMb * MB;
  if (idle.some((one) => one.memoryBytes === memoryBytes)) return;
  const thread = startThread(memoryBytes);
  // The session that takes the thread reports its failure; an unused thread fails silently.
  thread.catch(() => undefined);
  idle.push({ memoryBytes, thread });
}

export function openQuickjs(): Sandbox {
  return {
    kind: 'quickjs',
    gaps: [],
    open: async (dir) => {
      const real = await realpath(dir);
      return createQuickjsSession(real, () => startQuickjs(real), true);
    },
  };
}

/** `dir` is a real path; `start` starts a host that answers each call from a fresh QuickJS. */
export function createQuickjsSession(dir: string, start: () => Promise<HostProcess>, together = false): OpenSandbox {
  return createSandboxSession(dir, {
    // Each answer comes from a fresh QuickJS that has seen one component, so only tools and checkers are kept apart.
    javascript: { start, roomOf: (module) => module.split('/')[0] ?? '', once: false, withSource: true, together },
    python: { start: refusePython, roomOf: () => '', once: false },
  });
}

function refusePython(): Promise<never> {
  const message =
    'Components in Python cannot run in QuickJS. Install bubblewrap (package "bubblewrap"), or have them written in JavaScript.';
  throw new HarnessError('sandbox_unavailable', message);
}

/** The thread knows the cached values, whichever session it serves. */
type Thread = {
  worker: Worker;
  memoryBytes: number;
  cache: ValueCache;
  isSound: boolean;
  /** Receives the answers to the pending questions. */
  settle?: ((event: WorkerAnswer[] | string) => void) | undefined;
};

/** `dir` is a real path. The thread reads no file, and nothing of a component outlives its call. */
async function startQuickjs(dir: string): Promise<HostProcess> {
  const memoryBytes = memoryCapsFor(dir).heapMb * MB;
  const thread = await takeThread(memoryBytes);
  let isOver = false;
  return {
    ask: (calls, limits) => callQuickjs(thread, calls, limits),
    async kill() {
      if (isOver) return;
      isOver = true;
      if (thread.isSound && idle.length < IDLE_THREADS) idle.push({ memoryBytes, thread: Promise.resolve(thread) });
      else await thread.worker.terminate();
    },
  };
}

async function takeThread(memoryBytes: number): Promise<Thread> {
  const waiting = idle.findIndex((one) => one.memoryBytes === memoryBytes);
  const [taken] = idle.splice(waiting, waiting === -1 ? 0 : 1);
  const thread = await taken?.thread;
  return thread?.isSound === true ? thread : startThread(memoryBytes);
}

/** Node's type declarations leave this global out. */
declare const WebAssembly: { Module: new (bytes: Uint8Array) => object };

/**
 * How much of a function runs before V8 optimises it: V8's default, and our higher value. Optimising takes another core
 * and some 15 MB, and most evaluations are over before it pays.
 */
const USUAL_BUDGET = 13_000_000;
export const LONG_BUDGET = `--wasm-tiering-budget=${20 * USUAL_BUDGET}`;

export function findEngineFile(): string {
  return fileURLToPath(import.meta.resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm'));
}

let engine: object | undefined;

/** Compiles QuickJS once for all threads. V8 reads the budget when compiling, so it is set for this module alone. */
function compiledEngine(): object {
  if (engine !== undefined) return engine;
  const bytes = readFileSync(findEngineFile());
  setFlagsFromString(LONG_BUDGET);
  try {
    return (engine = new WebAssembly.Module(bytes));
  } finally {
    setFlagsFromString(`--wasm-tiering-budget=${USUAL_BUDGET}`);
  }
}

export const PRELUDE = readOwnText('./prelude.js', import.meta.url);

async function startThread(memoryBytes: number): Promise<Thread> {
  const workerData: WorkerData = { maxChars: MAX_CHARS, memoryBytes, engine: compiledEngine(), prelude: PRELUDE };
  const worker = new Worker(ownFile('adapters/quickjs/worker'), {
    workerData,
    env: {},
    // The engine's loader for browsers needs no module of Node.
    execArgv: ['--no-warnings', '--conditions=browser'],
    stdin: false,
    stdout: true,
    stderr: true,
  });
  worker.unref();
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', (cause) => {
      const message = `QuickJS did not start: ${cause instanceof Error ? cause.message : String(cause)}`;
      reject(new HarnessError('sandbox_unavailable', message, { cause }));
    });
  });
  const thread: Thread = { worker, memoryBytes, cache: createValueCache(), isSound: true };
  const spoil = (why: string): void => {
    thread.isSound = false;
    thread.settle?.(why);
  };
  worker.on('message', (answers: WorkerAnswer[]) => thread.settle?.(answers));
  // A listener would keep the process alive; while an answer is awaited, its timer does that.
  worker.unref();
  worker.on('error', (error) => spoil(`its thread ended: ${String(error).slice(0, 200)}`));
  worker.once('exit', () => spoil('its thread ended'));
  return thread;
}

/** A thread in the middle of a question is not sound. Returns nothing when one of several did not end. */
async function callQuickjs(thread: Thread, calls: readonly HostCall[], limits: HostLimits): Promise<HostOutcomes[]> {
  const { timeoutMs, signal } = limits;
  signal.throwIfAborted();
  const questions = calls.map((call): WorkerQuestion => ({ ...call, keeps: thread.cache.put(call.keeps), timeoutMs }));
  thread.isSound = false;
  const event = await askThread(thread, questions, { signal, timeoutMs: timeoutMs * calls.length });
  if (event === 'aborted') {
    await thread.worker.terminate();
    signal.throwIfAborted();
  }
  if (typeof event === 'string') {
    await thread.worker.terminate();
    if (calls.length > 1) return [];
    const late = event === 'aborted' || event === 'late';
    return [{ outcomes: [late ? timeoutFailure(timeoutMs) : hostFailure('crashed', event)], over: true }];
  }
  thread.isSound = event.every(({ over }) => over === undefined);
  return event.map(({ over, answers }, index) => {
    const all = JSON.parse(answers) as unknown[];
    const times = questions[index]?.times ?? 1;
    const { outcomes } = all.length === 0 ? { outcomes: [] } : hostOutcomes({ spent: false, answers: all }, times);
    if (over === undefined) return { outcomes, over: false };
    const failure = over.kind === 'timeout' ? timeoutFailure(timeoutMs) : hostFailure(over.kind, over.message);
    return { outcomes: [...outcomes, failure], over: true };
  });
}

function timeoutFailure(timeoutMs: number): SandboxOutcome {
  return hostFailure('timeout', `no answer within ${timeoutMs} ms`);
}

/** Resolves to the answers, or to the reason why there are none: `late`, `aborted`, or what ended the thread. */
function askThread(
  thread: Thread,
  questions: readonly WorkerQuestion[],
  { timeoutMs, signal }: HostLimits,
): Promise<WorkerAnswer[] | string> {
  return new Promise((resolve) => {
    const settle = (event: WorkerAnswer[] | string): void => {
      clearTimeout(timer);
      thread.settle = undefined;
      signal.removeEventListener('abort', onAbort);
      resolve(event);
    };
    const onAbort = (): void => settle('aborted');
    const timer = setTimeout(() => settle('late'), timeoutMs + GRACE_MS);
    thread.settle = settle;
    signal.addEventListener('abort', onAbort, { once: true });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    thread.worker.postMessage(questions);
  });
}
