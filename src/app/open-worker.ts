/** A worker as a whole: the shared queue, the runs of the project, and for each scenario its model and sandbox. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SharedQueue } from '../adapters/bullmq/bullmq-queue.ts';
import type { Home } from '../config/home.ts';
import { loadScenario } from '../config/load-scenario.ts';
import type { QueueAddress } from '../config/queue.ts';
import type { Config } from '../config/schema.ts';
import type { Deps } from '../pipeline/deps.ts';
import { carryRuns, giveUpJob, type WorkerDeps } from '../pipeline/worker.ts';
import { createReconciler } from '../pipeline/worker-reconcile.ts';
import type { Lane } from '../ports/job-queue.ts';
import type { Progress } from '../ports/progress.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { openApp, type App } from './open-app.ts';
import { openShared } from './open-queue.ts';
import { openStore } from './open-store.ts';

export type WorkerOptions = {
  home: Home;
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
  /** Milliseconds since the last pass over all runs ended well. */
  sinceReconciledMs: () => number;
  /** Takes nothing more, gives what runs `graceMs`, then aborts it; what is paid for is kept. */
  close: (graceMs: number) => Promise<void>;
};

export async function openWorker(options: WorkerOptions): Promise<OpenWorker> {
  const { home, config, lanes, concurrency } = options;
  const progress = options.progress(undefined);
  const store = openStore(home, progress);
  const scenarios = openScenarios(options, () => queue);
  const queue: SharedQueue = await openShared(
    options.address,
    { config, progress },
    { lanes, concurrency, onGaveUp: (job, error) => giveUpJob(job, error, deps) },
  );
  const { depsFor } = scenarios;
  const deps: WorkerDeps = { ...store, queue, lanes, depsFor, onRest: options.onRest };
  const rounds = reconcileForever(deps, config.queue.reconcile_ms);
  await carryRuns(deps);
  return {
    queue,
    sinceReconciledMs: rounds.sinceMs,
    close: async (graceMs) => {
      rounds.stop();
      await queue.close(graceMs);
      await scenarios.close();
    },
  };
}

/** At once, and then again and again; one failed pass is told of and the next one is made. */
function reconcileForever(deps: WorkerDeps, everyMs: number): { stop: () => void; sinceMs: () => number } {
  const reconciler = createReconciler(deps);
  let last = Date.now();
  const pass = (): void => {
    reconciler.pass().then(
      () => {
        last = Date.now();
      },
      (error: unknown) => deps.progress({ type: 'state', status: 'notice', detail: String(error) }),
    );
  };
  const timer = setInterval(pass, everyMs);
  pass();
  return { stop: () => clearInterval(timer), sinceMs: () => Date.now() - last };
}

type Scenarios = { depsFor: (run: RunFolder) => Promise<Deps>; close: () => Promise<void> };

/** One model client, sandbox and set of prompts per scenario; one offline model too, where that is what answers. */
function openScenarios(options: WorkerOptions, queue: () => SharedQueue): Scenarios {
  const apps = new Map<string, Promise<App>>();
  const open = async (dir: string): Promise<App> => {
    const { home, config, env, signal } = options;
    const scenario = await loadScenario(home, dir);
    return openApp({ home, config, env, scenario, queue: queue(), progress: options.progress(undefined), signal });
  };
  return {
    depsFor: async (run) => {
      const around = resolve(run.dir, '../..');
      const dir = existsSync(join(around, 'scenario.yaml')) ? around : run.scenario;
      const opened = apps.get(dir) ?? open(dir);
      apps.set(dir, opened);
      try {
        return { ...(await opened).deps, progress: options.progress(run.id) };
      } catch (error) {
        // The next job tries again: the endpoint may have been away.
        apps.delete(dir);
        throw error;
      }
    },
    close: async () => {
      const opened = await Promise.allSettled(apps.values());
      await Promise.all(opened.flatMap((app) => (app.status === 'fulfilled' ? [app.value.close()] : [])));
    },
  };
}
