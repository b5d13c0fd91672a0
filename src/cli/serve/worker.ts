/** `tandem worker`: drives the runs that were handed over, until it is stopped. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startWorkerGateScheduler } from '../../app/notices/worker-gate-scheduler.ts';
import { projectFamilies } from '../../app/metrics/project-metrics.ts';
import { openConfigured } from '../../app/open-sandbox.ts';
import { openStore } from '../../app/open-store.ts';
import { rememberRun } from '../../app/open-memory.ts';
import { openWorker, type OpenWorker } from '../../app/worker/open-worker.ts';
import { serveHealth } from '../../app/worker/health.ts';
import { isLoopback } from '../../config/endpoint.ts';
import { findHome } from '../../config/home.ts';
import { chooseQueue, type Config } from '../../config/schema.ts';
import { describeError, usageError } from '../../errors.ts';
import { summarise } from '../../pipeline/summarise.ts';
import type { Lane } from '../../ports/job-queue.ts';
import type { Progress } from '../../ports/progress.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { sessionStatus } from '../../run/fold-session.ts';
import { waitForAbort, type Call, type BooleanFlags, type TextFlags, EXIT, type Io } from '../command-context.ts';
import { writeReports } from '../run/finish.ts';
import { loadRunConfig } from '../run/settings.ts';
import { onUncaughtError } from '../uncaught-errors.ts';
import { parseWholeNumber } from '../parse-numbers.ts';
import { openCommandLog, type LogFlags } from '../log.ts';
import { formatOrigin, parseListenAddress, openPortFile } from './listen-address.ts';
import { createLookLog } from './observe-serve.ts';
import { readOrCreateToken } from './token-file.ts';
import { cleanAtStart } from '../sessions/clean.ts';

/** Longer than any step takes. */
const DRAIN_MS = 24 * 60 * 60_000;

/** `grace` is the number of seconds that running steps get after the first signal. */
export type WorkerCommandOptions = LogFlags &
  TextFlags<'profile' | 'portFile' | 'tokenFile' | 'metricsTokenFile'> &
  BooleanFlags<'init' | 'execute' | 'samples' | 'allowUnsandboxed' | 'json'> &
  Record<'concurrency' | 'grace' | 'listen', string>;

export async function workerCommand(options: WorkerCommandOptions, { io, signal }: Call): Promise<number> {
  const home = findHome(io.cwd);
  const portFile = openPortFile(options.portFile, io);
  const log = openCommandLog(options, io);
  const config = await loadRunConfig(home, options, io);
  const concurrency = parseWholeNumber('--concurrency', options.concurrency, { most: 64 });
  const graceMs = parseWholeNumber('--grace', options.grace, { least: 0, most: 3600 }) * 1000;
  const listen = parseListenFlags(options);
  const address = sharedAddress(config, io.env);
  await cleanAtStart(home, io.err);
  const secret =
    options.tokenFile === undefined ? undefined : await readOrCreateToken(resolve(io.cwd, options.tokenFile));
  const { metricsTokenFile } = options;
  const token = metricsTokenFile === undefined ? undefined : await readOrCreateToken(resolve(io.cwd, metricsTokenFile));
  const read = openStore(home, log.progress(undefined));
  const keeping = await startWorkerGateScheduler({ home, read, env: io.env, secret, log: createLookLog(log) });
  const lanes = chooseLanes(options);
  const progress = options.json === true ? jsonLines(io) : log.progress;
  const onRest = async (run: RunFolder): Promise<void> => {
    const summary = await summarise(run);
    await writeReports(run, summary);
    if (sessionStatus(summary) === 'done') await rememberRun(home, run, io.err);
  };
  const wanted = { home, read, config, env: io.env, address, lanes, concurrency, progress, onRest, signal };
  const worker = await openWorker(wanted);
  log.follow(() => worker.telemetry.here());
  onUncaughtError((what) => writeFileSync(join(worker.folder, 'fault.txt'), `${what}\n`));
  const project = () => projectFamilies({ shared: read.shared, clock: read.clock, role: 'worker', keeping });
  const common = { worker, lanes, reconcileMs: config.queue.reconcile_ms, listen, token, project };
  const health = await serveHealth(common).catch(async (error: unknown) => {
    await worker.close(0);
    throw error;
  });
  await portFile.write(health.port);
  log.line(
    'info',
    `Worker for ${lanes.join(', ')} on ${address.shown} (${address.space}): ` +
      lanes.map((lane) => `${worker.places[lane]} ${lane === 'samples' ? 'samples' : `${lane} steps`}`).join(', ') +
      ' at a time.',
  );
  log.line('info', `Health and metrics: ${formatOrigin(listen.host, health.port)}/healthz and /metrics`);
  keeping.start(signal);
  await reportSandbox(config, (line) => log.line('info', line));
  const isDrained = await Promise.race([waitForAbort(signal).then(() => false), worker.drained.then(() => true)]);
  const left = isDrained ? 'as long as it takes' : `${graceMs / 1000} s`;
  log.line('info', `Taking nothing more; what runs has ${left} to end by itself.`);
  await Promise.all([worker.close(isDrained ? DRAIN_MS : graceMs), keeping.close()]);
  await health.close();
  log.line('info', formatStopLine(worker));
  return EXIT.met;
}

/** Says before the first job which runs this machine will leave to other workers. */
async function reportSandbox(config: Config, say: (line: string) => void): Promise<void> {
  const kind = await openConfigured(config)().then(
    (opened) => opened.kind,
    (error: unknown) => `none (${describeError(error)})`,
  );
  const rest = ': runs with components in Python, or that need more than the language, are left to other workers';
  say(`Sandbox: ${kind}${kind === 'quickjs' || kind.startsWith('none') ? rest : ''}.`);
}

function sharedAddress(...given: Parameters<typeof chooseQueue>) {
  const address = chooseQueue(...given);
  if (address.kind !== 'in-process') return address;
  throw usageError(
    'A worker needs a queue that it shares with others: set TANDEM_QUEUE=redis://host:6379 or postgres://user@host/database.',
  );
}

/** Addresses beyond this machine need a token, because metrics name scenarios and models. */
function parseListenFlags({ listen, metricsTokenFile }: WorkerCommandOptions): { host: string; port: number } {
  const address = parseListenAddress(listen);
  if (isLoopback(address.host) || metricsTokenFile !== undefined) return address;
  throw usageError(
    `--listen ${listen}: beyond this machine /metrics needs a token: --metrics-token-file <file> (made when missing). /healthz and /livez need none.`,
  );
}

/** `--execute` includes samples, so that they need not wait for other workers when there are none. */
function chooseLanes({ init = false, execute = false, samples = false }: WorkerCommandOptions): Lane[] {
  const all = !init && !execute && !samples;
  const wanted = { init: init || all, execute: execute || all, samples: samples || execute || all };
  return (['init', 'execute', 'samples'] as const).filter((lane) => wanted[lane]);
}

function jsonLines(io: Io): (run: string | undefined) => Progress {
  return (run) => (event) => io.out(JSON.stringify({ ...event, ...(run === undefined ? {} : { run }) }));
}

function formatStopLine({ queue }: OpenWorker): string {
  const steps = [...queue.signs.tally()].map(
    ([lane, { done, failed }]) => `${lane}: ${done} done, ${failed} broken off`,
  );
  return `Stopped. ${steps.length === 0 ? 'Nothing was done' : steps.join('; ')}. What was broken off waits for the next worker.`;
}
