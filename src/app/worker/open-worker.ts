/** Opens a worker: the shared queue, the runs of the project, and for each scenario its model and sandbox. */
import { scheduleTrials } from '../../worker/trial-scheduler.ts';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { SharedQueue } from '../../adapters/bullmq/bullmq-queue.ts';
import { canonicalJson } from '../../disk/sha256.ts';
import { openTelemetry } from '../open-telemetry.ts';
import { HarnessError, describeError } from '../../errors.ts';
import { packageVersion } from '../../own-file.ts';
import { findScenarioDir, loadScenario } from '../../config/load-scenario.ts';
import type { QueueAddress, Config } from '../../config/schema.ts';
import type { Deps } from '../../pipeline/deps.ts';
import { checkRunConfig, readRunConfig, configMismatch } from '../../pipeline/run-config.ts';
import { runWorker, giveUpJob, type WorkerDeps, createTrialPlayer } from '../../worker/worker.ts';
import { announceWorker, drainAsked, workersFolder, type Presence } from '../../worker/presence.ts';
import { createReconciler } from '../../worker/reconcile.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import type { Progress } from '../../ports/progress.ts';
import type { Job, Lane, NextLane } from '../../ports/job-queue.ts';
import { readEvents, refuseDamagedTranscripts } from '../../run-folder/snapshot.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { withEndTimes, countRetries } from '../models/open-model-access.ts';
import { missingFor } from './missing-for-run.ts';
import { syncSchedules } from './sync-schedules.ts';
import type { ProjectDeps } from '../open-store.ts';
import { openApp, type App } from '../open-app.ts';
import { loadNextLanes } from '../models/lane-models.ts';
import type { ProjectSetup } from '../models/open-models.ts';
import { openShared, modelLimiterFor } from '../worker-queue.ts';

export type WorkerOptions = ProjectSetup & {
  /** The cached reads of runs, shared with the gate scheduler of this process. */
  read: ProjectDeps;
  address: Exclude<QueueAddress, { kind: 'in-process' }>;
  lanes: readonly Lane[];
  concurrency: number;
  /** `run` is undefined for events of the worker itself. */
  progress: (run: string | undefined) => Progress;
  onRest: (run: RunFolder) => Promise<void>;
  signal: AbortSignal;
};

export type OpenWorker = {
  queue: SharedQueue;
  /** The folder in which the worker leaves its last messages. */
  folder: string;
  /** Resolves after a request by `tandem queue drain`. */
  drained: Promise<void>;
  /** Returns why the store's server cannot be used now; undefined when it can, and for folders. */
  storeAwaited: () => Promise<string | undefined>;
  telemetry: Telemetry;
  /** How many jobs of each lane may run here at the same time. */
  places: Readonly<Record<Lane, number>>;
  /** Milliseconds since the last successful pass over all runs. */
  sinceReconciledMs: () => number;
  /** Takes no more jobs, aborts running ones after `graceMs`, and saves paid answers. */
  close: (graceMs: number) => Promise<void>;
};

export async function openWorker(options: WorkerOptions): Promise<OpenWorker> {
  const { home, config, lanes, concurrency } = options;
  const complain = (detail: string): void => options.progress(undefined)({ type: 'state', status: 'notice', detail });
  const telemetry = await openTelemetry(options.env, complain, { measure: true });
  const progress = countRetries(withEndTimes(options.progress(undefined)), telemetry);
  const store = { ...options.read, progress };
  // Not the process's own signal, because steps have a grace period, and would fail by an abort of what they wait for.
  const over = new AbortController();
  const scenarios = openScenarios({ ...options, telemetry, signal: over.signal }, () => queue);
  const onGaveUp = (job: Job, error: unknown): Promise<void> => giveUpJob(job, error, deps);
  const terms = { lanes: lanes.filter((lane) => lane === 'samples'), concurrency, onGaveUp };
  const queue: SharedQueue = await openShared(options.address, { config, progress }, terms);
  const { depsFor } = scenarios;
  const name = `${hostname()}-${process.pid}`;
  const lacks = async (run: RunFolder, lane: Lane) => missingFor(run, lane, await depsFor(run));
  // Called once for each attempt; its holder plays trials that are handed back.
  const depsForTrials = async (run: RunFolder): Promise<Deps> => {
    const lack = await lacks(run, 'samples');
    if (lack !== undefined) throw new HarnessError('sandbox_unavailable', lack);
    return depsFor(run);
  };
  const trials = createTrialPlayer({ depsFor: depsForTrials, worker: name });
  // Serves its own models at once, and those of other runs when one that waits for them is seen.
  const serve = ({ lane, model }: NextLane): void => {
    if (lanes.includes(lane)) queue.serve(lane, model);
  };
  for (const next of await loadNextLanes(home, config, options.env)) serve(next);
  const deps: WorkerDeps = { ...store, queue, name, lanes, serve, depsFor, lacks, trials, onRest: options.onRest };
  const rounds = reconcileForever(deps, config.queue.reconcile_ms);
  await runWorker(deps);
  const about = { worker: name, program: packageVersion(), lanes: [...lanes] };
  const announced = announceWorker(store.shared, about, store.clock);
  const renew = async () => announced.renew(await listWaits(queue, store.clock.now()).catch(() => []));
  const presence = await stayPresent({ ...announced, renew }, progress);
  // Other workers take over what a worker has begun that does not show itself.
  const schedules = syncSchedules({ ...options, worker: name, progress });
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
      await queue.close(graceMs);
      await schedules.close();
      over.abort();
      await trials.close();
      await scenarios.close();
      await telemetry.close();
      presence.stop();
      await presence.leave();
    },
  };
}

const RENEW_MS = 20_000;

async function listWaits({ signs }: SharedQueue, now: Date): Promise<{ lane: string; since: string }[]> {
  const jobs = await signs.oldest();
  return jobs.map(({ lane, waitsMs }) => ({ lane, since: new Date(now.getTime() - waitsMs).toISOString() }));
}

/** A failed sign of life is reported, and nothing else depends on it. */
async function stayPresent(
  presence: Presence,
  progress: Progress,
): Promise<{ stop: () => void; leave: () => Promise<void> }> {
  const quietly = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => progress({ type: 'state', status: 'notice', detail: describeError(error) }));
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
        const detail = describeError(error);
        // Reported once until a pass succeeds, so that an outage of an hour is one line.
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

/** Opens one model client, sandbox and set of prompts per scenario, and an offline model where that answers. */
function openScenarios(options: WorkerOptions & { telemetry: Telemetry }, queue: () => SharedQueue): Scenarios {
  const apps = new Map<string, Promise<App>>();
  const reported = new Set<string>();
  const open = async (dir: string, config: Config): Promise<App> => {
    const { home, env, signal, telemetry } = options;
    const scenario = await loadScenario(home, dir);
    const progress = options.progress(undefined);
    const { limits } = queue();
    return openApp({ home, config, env, scenario, queue: queue(), limits, progress, telemetry, signal });
  };
  return {
    depsFor: async (run) => {
      const dir = findScenarioDir(run) ?? run.scenario;
      await refuseDamagedTranscripts(run, await readEvents(run));
      const recorded = await readRunConfig(run);
      // Models and policies are the run's own; retries, queue and concurrency are this worker's.
      const { agents } = recorded ?? options.config;
      const config = { ...options.config, agents };
      const key = `${dir} ${canonicalJson(config.agents)}`;
      const opened = apps.get(key) ?? open(dir, config);
      apps.set(key, opened);
      const app = await opened.catch((error: unknown) => {
        // The next job tries again, because the endpoint may only have been away.
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
