/** A worker as a whole: the shared queue, the runs of the project, and for each scenario its model and sandbox. */
import { scheduleTrials } from '../../worker/trial-scheduler.ts';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { SharedQueue } from '../../adapters/bullmq/bullmq-queue.ts';
import { canonicalJson } from '../../disk/canonical-json.ts';
import { openTelemetry } from '../open-telemetry.ts';
import type { Home } from '../../config/home.ts';
import { HarnessError, messageOf } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { packageVersion } from '../../own-file.ts';
import { loadScenario } from '../../config/load-scenario.ts';
import type { QueueAddress } from '../../config/queue.ts';
import type { Config } from '../../config/schema.ts';
import type { Deps } from '../../pipeline/deps.ts';
import { checkRunConfig, readRunConfig, configMismatch, economyAsBegun } from '../../pipeline/run-config.ts';
import { carryRuns, giveUpJob, type WorkerDeps } from '../../worker/worker.ts';
import { announceWorker, drainAsked, workersFolder, type Presence } from '../../worker/presence.ts';
import { createReconciler } from '../../worker/reconcile.ts';
import { createTrialPlayer } from '../../worker/play-trials.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import type { Lane, NextLane } from '../../ports/job-queue.ts';
import type { Progress } from '../../ports/progress.ts';
import { readEvents } from '../../run-folder/snapshot.ts';
import { refuseDamagedTranscripts } from '../../run-folder/transcript-digest.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { dateWaits } from '../date-waits.ts';
import { countRetries } from '../models/count-retries.ts';
import { missingFor } from './fitness.ts';
import { syncSchedules } from './sync-schedules.ts';
import type { ProjectDeps } from '../open-store.ts';
import { gaugeQueue } from './queue-gauges.ts';
import { openApp, type App } from '../open-app.ts';
import { nextLanesOf } from '../models/lane-models.ts';
import { openShared, modelLimiterFor } from '../worker-queue.ts';

export type WorkerOptions = {
  home: Home;
  /** What it and the gate scheduler of this process read of a run is read once. */
  read: ProjectDeps;
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  address: Exclude<QueueAddress, { kind: 'in-process' }>;
  lanes: readonly Lane[];
  concurrency: number;
  /** `run` is undefined for what concerns the worker itself. */
  progress: (run: string | undefined) => Progress;
  onRest: (run: RunFolder) => Promise<void>;
  signal: AbortSignal;
};

export type OpenWorker = {
  queue: SharedQueue;
  /** Where it leaves its last words. */
  folder: string;
  /** Resolves after a request (`tandem queue drain`). */
  drained: Promise<void>;
  /** Why the server that runs live on cannot be used now; undefined when it can, and for folders. */
  storeAwaited: () => Promise<string | undefined>;
  telemetry: Telemetry;
  /** Jobs of each lane that may run here at the same time. */
  places: Readonly<Record<Lane, number>>;
  /** Milliseconds since the last pass over all runs ended well. */
  sinceReconciledMs: () => number;
  /** Takes nothing more, gives what runs `graceMs`, then aborts it; paid answers are saved. */
  close: (graceMs: number) => Promise<void>;
};

export async function openWorker(options: WorkerOptions): Promise<OpenWorker> {
  const { home, config, lanes, concurrency } = options;
  const complain = (detail: string): void => options.progress(undefined)({ type: 'state', status: 'notice', detail });
  const telemetry = await openTelemetry(options.env, complain, { measure: true });
  const progress = countRetries(dateWaits(options.progress(undefined)), telemetry);
  const store = { ...options.read, progress };
  // Not the process's own signal: steps have their grace, and would fail by what they wait for here.
  const over = new AbortController();
  const scenarios = openScenarios({ ...options, telemetry, signal: over.signal }, () => queue);
  const queue: SharedQueue = await openShared(
    options.address,
    { home, config, progress },
    {
      lanes: lanes.filter((lane) => lane === 'samples'),
      concurrency,
      onGaveUp: (job, error) => giveUpJob(job, error, deps),
    },
  );
  const { depsFor } = scenarios;
  const name = `${hostname()}-${process.pid}`;
  const lacks = async (run: RunFolder, lane: Lane) => missingFor(run, lane, await depsFor(run));
  // Called once for each attempt; its holder plays what is handed back.
  const depsForTrials = async (run: RunFolder): Promise<Deps> => {
    const lack = await lacks(run, 'samples');
    if (lack !== undefined) throw new HarnessError('sandbox_unavailable', lack);
    return depsFor(run);
  };
  const trials = createTrialPlayer({ depsFor: depsForTrials, worker: name });
  // Its own models at once; those of other runs when one is seen that waits for them.
  const serve = ({ lane, model }: NextLane): void => {
    if (lanes.includes(lane)) queue.serve(lane, model);
  };
  for (const next of await nextLanesOf(home, config, options.env)) serve(next);
  const deps: WorkerDeps = { ...store, queue, name, lanes, serve, depsFor, lacks, trials, onRest: options.onRest };
  const rounds = reconcileForever(deps, config.queue.reconcile_ms);
  await carryRuns(deps);
  const schedules = syncSchedules({ ...options, shared: store.shared, queue, progress });
  gaugeQueue(queue, telemetry);
  const about = { worker: name, program: packageVersion(), lanes: [...lanes] };
  const presence = await stayPresent(announceWorker(store.shared, about, store.clock), progress);
  return {
    queue,
    folder: join(workersFolder(home.project), name),
    drained: drainAsked(store.shared, name, options.signal),
    storeAwaited: async () => options.read.store.server?.awaited(),
    telemetry,
    places: modelLimiterFor(config, concurrency),
    sinceReconciledMs: rounds.sinceMs,
    close: async (graceMs) => {
      rounds.stop();
      schedules.stop();
      presence.stop();
      await queue.close(graceMs);
      over.abort();
      await trials.close();
      await scenarios.close();
      await telemetry.close();
      await presence.leave();
    },
  };
}

const RENEW_MS = 20_000;

/** A sign of life that could not be written is reported; nothing else depends on it. */
async function stayPresent(
  presence: Presence,
  progress: Progress,
): Promise<{ stop: () => void; leave: () => Promise<void> }> {
  const quietly = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => progress({ type: 'state', status: 'notice', detail: messageOf(error) }));
  await quietly(presence.renew());
  const timer = setInterval(() => void quietly(presence.renew()), RENEW_MS);
  return { stop: () => clearInterval(timer), leave: () => quietly(presence.leave()) };
}

/** Reconciles immediately and then periodically; a failed pass is reported and the next one still runs. */
function reconcileForever(deps: WorkerDeps, everyMs: number): { stop: () => void; sinceMs: () => number } {
  const reconciler = createReconciler(deps);
  let last = performance.now();
  let said: string | undefined;
  const pass = (): void => {
    reconciler.pass().then(
      () => {
        [last, said] = [performance.now(), undefined];
      },
      (error: unknown) => {
        const detail = messageOf(error);
        // Once until a pass ends well: an outage of an hour is one line.
        if (detail !== said) deps.progress({ type: 'state', status: 'notice', detail });
        said = detail;
      },
    );
  };
  const timer = setInterval(pass, everyMs);
  pass();
  return { stop: () => clearInterval(timer), sinceMs: () => performance.now() - last };
}

type Scenarios = { depsFor: (run: RunFolder) => Promise<Deps>; close: () => Promise<void> };

/** One model client, sandbox and set of prompts per scenario; one offline model too, where that is what answers. */
function openScenarios(options: WorkerOptions & { telemetry: Telemetry }, queue: () => SharedQueue): Scenarios {
  const apps = new Map<string, Promise<App>>();
  const reported = new Set<string>();
  const open = async (dir: string, config: Config): Promise<App> => {
    const { home, env, signal, telemetry } = options;
    const scenario = await loadScenario(home, dir);
    const progress = options.progress(undefined);
    return openApp({
      home,
      config,
      env,
      scenario,
      queue: queue(),
      ...omitUndefined({ limits: queue().limits }),
      progress,
      telemetry,
      signal,
    });
  };
  return {
    depsFor: async (run) => {
      const around = resolve(run.dir, '../..');
      const dir = existsSync(join(around, 'scenario.yaml')) ? around : run.scenario;
      await refuseDamagedTranscripts(run, await readEvents(run));
      const recorded = await readRunConfig(run);
      // The run's own models and policies; tries, queue and places are this worker's.
      const { agents } = recorded ?? options.config;
      const config = { ...options.config, agents, economy: economyAsBegun(options.config, recorded) };
      const key = `${dir} ${canonicalJson([config.agents, config.economy])}`;
      const opened = apps.get(key) ?? open(dir, config);
      apps.set(key, opened);
      const app = await opened.catch((error: unknown) => {
        // The next job tries again: the endpoint may have been away.
        apps.delete(key);
        throw recorded !== undefined && error instanceof HarnessError
          ? configMismatch(run.id, { stored: recorded, own: options.config }, error)
          : error;
      });
      const progress = options.progress(run.id);
      for (const detail of await checkRunConfig(run, { stored: recorded, own: options.config }, app.deps)) {
        if (!reported.has(detail)) progress({ type: 'state', status: 'notice', detail });
        reported.add(detail);
      }
      return { ...app.deps, progress, trials: scheduleTrials(queue().trials) };
    },
    close: async () => {
      const opened = await Promise.allSettled(apps.values());
      await Promise.all(opened.flatMap((app) => (app.status === 'fulfilled' ? [app.value.close()] : [])));
    },
  };
}
