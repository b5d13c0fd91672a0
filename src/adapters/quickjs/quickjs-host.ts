/** A host of the sandbox that is a worker thread with QuickJS in it: no file, no network, no process can be named in there. */
import { Worker } from 'node:worker_threads';
import { HarnessError } from '../../errors.ts';
import { ownFile } from '../../own-file.ts';
import type { SandboxOutcome } from '../../ports/sandbox.ts';
import { hostOutcomes, hostFailure, type HostOutcomes } from '../sandbox/host-outcomes.ts';
import type { HostProcess, HostCall } from '../sandbox/host-process.ts';
import { createValueCache, type ValueCache } from '../sandbox/value-cache.ts';
import { MAX_CHARS, memoryCapsFor } from '../sandbox/limits.ts';
import type { WorkerAnswer, WorkerData, WorkerQuestion } from './worker.ts';

/** QuickJS looks at its clock by itself; a thread that does not answer so long after that is ended. */
const GRACE_MS = 500;
const MB = 1024 ** 2;

/** `dir` is a real path; only files named in questions are read from it, by the thread, and handed in as text. */
export async function startQuickjs(dir: string): Promise<HostProcess> {
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
  const live = { worker, kill, shelf: createValueCache() };
  return { ask: (question, timeoutMs, signal) => callQuickjs(live, question, timeoutMs, signal), kill };
}

async function callQuickjs(
  { worker, kill, shelf }: { worker: Worker; kill: () => Promise<void>; shelf: ValueCache },
  { keeps, ...rest }: HostCall,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<HostOutcomes> {
  signal.throwIfAborted();
  const question: WorkerQuestion = { ...rest, keeps: shelf.put(keeps), endsAt: Date.now() + timeoutMs };
  const event = await exchange(worker, question, timeoutMs, signal);
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
  const told =
    Array.isArray(answers) && answers.length > 0
      ? hostOutcomes({ spent: false, answers }, question.times).outcomes
      : [];
  if (event.over === undefined) return { outcomes: told, over: event.spent };
  const { kind, message } = event.over;
  return { outcomes: [...told, kind === 'timeout' ? timedOut(timeoutMs) : hostFailure(kind, message)], over: true };
}

function timedOut(timeoutMs: number): SandboxOutcome {
  return hostFailure('timeout', `no answer within ${timeoutMs} ms`);
}

/** The answer, or why there is none: `late`, `aborted`, or what ended the thread. */
function exchange(
  worker: Worker,
  question: WorkerQuestion,
  timeoutMs: number,
  signal: AbortSignal,
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
