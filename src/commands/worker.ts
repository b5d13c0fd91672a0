/** `tandem worker`: carries on the runs that were handed over, until it is told to stop. */
import { writeFile } from 'node:fs/promises';
import { openWorker, type OpenWorker } from '../app/open-worker.ts';
import { serveHealth } from '../app/worker-health.ts';
import { findHome } from '../config/home.ts';
import { loadConfig } from '../config/load-config.ts';
import { chooseQueue } from '../config/queue.ts';
import { HarnessError } from '../errors.ts';
import { summarise } from '../pipeline/summarise.ts';
import type { Lane } from '../ports/job-queue.ts';
import type { Progress } from '../ports/progress.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { createProgressView } from '../report/create-progress-view.ts';
import { EXIT } from './exit-code.ts';
import { writeReports } from './finish.ts';
import type { Io } from './io.ts';

export type WorkerCommandOptions = {
  profile?: string | undefined;
  init?: boolean | undefined;
  execute?: boolean | undefined;
  concurrency: string;
  /** Seconds that running steps get after the first signal. */
  grace: string;
  port: string;
  portFile?: string | undefined;
  allowUnsandboxed?: boolean | undefined;
  json?: boolean | undefined;
};

export async function workerCommand(options: WorkerCommandOptions, io: Io, signal: AbortSignal): Promise<number> {
  const home = findHome(io.cwd);
  const config = await loadConfig(home, {
    ...(options.profile === undefined ? {} : { profile: options.profile }),
    ...(options.allowUnsandboxed === true ? { flags: { sandbox: { allow_unsandboxed: true } } } : {}),
  });
  const concurrency = wholeNumber('--concurrency', options.concurrency, 1, 64);
  const graceMs = wholeNumber('--grace', options.grace, 0, 3600) * 1000;
  const port = wholeNumber('--port', options.port, 0, 65_535);
  const address = chooseQueue(config, io.env);
  if (address.kind === 'in-process') {
    throw new HarnessError(
      'usage',
      'A worker needs a queue that it shares with others: set TANDEM_QUEUE=redis://host:6379 or postgres://user@host/database.',
    );
  }
  const lanes = lanesOf(options);
  const progress = options.json === true ? jsonLines(io) : namedLines(io);
  const onRest = async (run: RunFolder): Promise<void> => writeReports(run, await summarise(run));
  const wanted = { home, config, env: io.env, address, lanes, concurrency, progress, onRest, signal };
  const worker = await openWorker(wanted);
  const common = { worker, concurrency, lanes, reconcileMs: config.queue.reconcile_ms, port };
  const health = await serveHealth(common).catch(async (error: unknown) => {
    await worker.close(0);
    throw error;
  });
  if (options.portFile !== undefined) await writeFile(options.portFile, `${health.port}\n`);
  io.err(
    `Worker for ${lanes.join(' and ')} on ${address.shown} (${address.space}), ${concurrency} steps at a time each.`,
  );
  io.err(`Health and metrics: http://127.0.0.1:${health.port}/healthz and /metrics`);
  await aborted(signal);
  io.err(`Taking nothing more; what runs has ${graceMs / 1000} s to end by itself.`);
  await worker.close(graceMs);
  await health.close();
  io.err(lastWords(worker));
  return EXIT.met;
}

function lanesOf({ init, execute }: WorkerCommandOptions): Lane[] {
  if (init !== true && execute !== true) return ['init', 'execute'];
  return [...(init === true ? ['init' as const] : []), ...(execute === true ? ['execute' as const] : [])];
}

function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw new HarnessError('usage', `${flag} "${text}": expected a whole number from ${least} to ${most}.`);
}

/** One line per real change, with the run that it is about. */
function namedLines(io: Io): (run: string | undefined) => Progress {
  const views = new Map<string, ReturnType<typeof createProgressView>>();
  return (run = 'worker') => {
    const view = views.get(run) ?? createProgressView({ columns: 100, color: false, tty: false });
    views.set(run, view);
    return (event) => view.feed(event).lines.forEach((line) => io.err(`${run}  ${line}`));
  };
}

function jsonLines(io: Io): (run: string | undefined) => Progress {
  return (run) => (event) => io.out(JSON.stringify({ ...event, ...(run === undefined ? {} : { run }) }));
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function lastWords({ queue }: OpenWorker): string {
  const steps = [...queue.signs.tally()].map(
    ([lane, { done, failed }]) => `${lane}: ${done} done, ${failed} broken off`,
  );
  return `Stopped. ${steps.join('; ') || 'Nothing was done.'} What was broken off waits for the next worker.`;
}
