/** The QuickJS sandbox: plain JavaScript in worker threads, on any machine. Code in it can reach no file, network or process. */
import { realpath } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { HarnessError } from '../../errors.ts';
import { ownFile } from '../../own-file.ts';
import type { Sandbox, SandboxOutcome } from '../../ports/sandbox.ts';
import { hostOutcomes, hostFailure, type HostOutcomes } from '../sandbox/host-outcomes.ts';
import type { HostProcess, HostCall, HostLimits } from '../sandbox/host-process.ts';
import { createSandboxSession } from '../sandbox/sandbox-session.ts';
import { createValueCache, type ValueCache } from '../sandbox/shared-values.ts';
import { MAX_CHARS, memoryCapsFor } from '../sandbox/limits.ts';
import type { WorkerAnswer, WorkerData, WorkerQuestion } from './worker.ts';

/** QuickJS checks its own deadline; a thread that does not answer this long after it is ended. */
const GRACE_MS = 500;
const MB = 1024 ** 2;

export function openQuickjs(): Sandbox {
  return {
    kind: 'quickjs',
    gaps: [],
    open: async (dir) => {
      const real = await realpath(dir);
      return createSandboxSession(real, {
        // Every answer comes from a QuickJS of its own, which has seen one component: only tools and checkers are parted.
        javascript: { start: () => startQuickjs(real), roomOf: (module) => module.split('/')[0] ?? '', once: false },
        python: { start: refusePython, roomOf: () => '', once: false },
      });
    },
  };
}

function refusePython(): Promise<never> {
  throw new HarnessError(
    'sandbox_unavailable',
    'Components in Python cannot run in QuickJS. Install bubblewrap (package "bubblewrap"), or have them written in JavaScript.',
  );
}

/** `dir` is a real path; the thread reads only the files named in questions from it. */
async function startQuickjs(dir: string): Promise<HostProcess> {
  const workerData: WorkerData = { dir, maxChars: MAX_CHARS, memoryBytes: memoryCapsFor(dir).heapMb * MB };
  const worker = new Worker(ownFile('adapters/quickjs/worker'), {
    workerData,
    env: {},
    execArgv: ['--no-warnings'],
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
  const kill = async (): Promise<void> => void (await worker.terminate());
  const live = { worker, kill, cache: createValueCache() };
  return { ask: (question, limits) => callQuickjs(live, question, limits), kill };
}

async function callQuickjs(
  { worker, kill, cache }: { worker: Worker; kill: () => Promise<void>; cache: ValueCache },
  { keeps, ...rest }: HostCall,
  limits: HostLimits,
): Promise<HostOutcomes> {
  const { timeoutMs, signal } = limits;
  signal.throwIfAborted();
  const question: WorkerQuestion = { ...rest, keeps: cache.put(keeps), endsAt: Date.now() + timeoutMs };
  const event = await exchange(worker, question, limits);
  if (event === 'aborted') {
    await kill();
    signal.throwIfAborted();
  }
  if (typeof event === 'string') {
    await kill();
    const late = event === 'aborted' || event === 'late';
    return { outcomes: [late ? timedOut(timeoutMs) : hostFailure('crashed', event)], over: true };
  }
  const answers: unknown = JSON.parse(event.answers);
  const outcomes =
    Array.isArray(answers) && answers.length > 0
      ? hostOutcomes({ spent: false, answers }, question.times).outcomes
      : [];
  if (event.over === undefined) return { outcomes, over: event.spent };
  const { kind, message } = event.over;
  return { outcomes: [...outcomes, kind === 'timeout' ? timedOut(timeoutMs) : hostFailure(kind, message)], over: true };
}

function timedOut(timeoutMs: number): SandboxOutcome {
  return hostFailure('timeout', `no answer within ${timeoutMs} ms`);
}

/** The answer, or why there is none: `late`, `aborted`, or what ended the thread. */
function exchange(
  worker: Worker,
  question: WorkerQuestion,
  { timeoutMs, signal }: HostLimits,
): Promise<WorkerAnswer | string> {
  return new Promise((resolve) => {
    const settle = (event: WorkerAnswer | string): void => {
      clearTimeout(timer);
      worker.off('message', settle);
      worker.off('error', onError);
      worker.off('exit', onExit);
      signal.removeEventListener('abort', onAbort);
      resolve(event);
    };
    const onError = (error: unknown): void => settle(`its thread ended: ${String(error).slice(0, 200)}`);
    const onExit = (): void => settle('its thread ended');
    const onAbort = (): void => settle('aborted');
    const timer = setTimeout(() => settle('late'), timeoutMs + GRACE_MS);
    worker.on('message', settle);
    worker.on('error', onError);
    worker.on('exit', onExit);
    signal.addEventListener('abort', onAbort, { once: true });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(question);
  });
}
