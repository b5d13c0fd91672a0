/** The composition root: it decides which adapter is behind which port. */
import { loadAgent } from '../config/load-agent.ts';
import { loadPrompts } from '../config/load-prompts.ts';
import { loadReviewers } from '../config/reviewers.ts';
import type { Scenario } from '../config/load-scenario.ts';
import type { Deps } from '../pipeline/deps.ts';
import { openConfigured } from './open-sandbox.ts';
import { openMemory } from './open-memory.ts';
import {
  closeInOrder,
  openModelAccess,
  type ModelAccessOptions,
  type ScenarioModelsOptions,
} from './models/open-model-access.ts';
import { openFileTools } from './open-file-tools.ts';
import { openStore } from './open-store.ts';
import { subjectHosts } from './open-subjects.ts';
import { toolServers } from './open-tool-servers.ts';
import { toolWorlds } from './open-tool-worlds.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { consumeWakeUps } from '../pipeline/drive/drive.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { Progress } from '../ports/progress.ts';
import { createInProcessQueue } from '../adapters/in-process/in-process-queue.ts';
import { chooseQueue } from '../config/schema.ts';
import type { QueueOptions } from './worker-queue.ts';

export type App = {
  deps: Deps;
  /** True while every model call stays on this machine. */
  loopback: boolean;
  /** Opens the same models and sandbox for one more concurrent run, with its own queue and progress. */
  lane: (progress: Progress) => Promise<Pick<App, 'deps' | 'close'>>;
  close: () => Promise<void>;
};

/** The options of one application. */
export type AppOptions = ModelAccessOptions &
  ScenarioModelsOptions & {
    scenario: Scenario;
    /** A worker's own queue; absent: the one that TANDEM_QUEUE names, or one in this process. */
    queue?: JobQueue;
  };

/** Opens everything that a run needs; nothing is called and nothing is written before the first wake-up. */
export async function openApp(options: AppOptions): Promise<App> {
  const { home, config, env } = options;
  const access = await openModelAccess(options);
  const { progress, telemetry } = access;
  try {
    const models = await access.open(options);
    const rest: Omit<Deps, 'queue' | 'handedOver'> = {
      ...openStore(home, progress),
      model: models.model,
      catalogue: models.catalogue,
      sandbox: openConfigured(config),
      toolServers: toolServers(home, config.mcp, env),
      toolWorlds: toolWorlds(env),
      fileTools: openFileTools,
      agents: { init: await loadAgent(home, 'init', config), execute: await loadAgent(home, 'execute', config) },
      prompts: await loadPrompts(home),
      subjects: subjectHosts(home),
      config,
      reviewers: await loadReviewers(home),
      memoryOf: (scenario) =>
        openMemory(home, scenario, (detail) => progress({ type: 'state', status: 'notice', detail })),
      simulated: models.simulated,
      endpoint: models.endpoint,
      telemetry,
    };
    const carrier =
      options.queue === undefined
        ? await openQueue({ ...options, progress })
        : { queue: options.queue, handedOver: true };
    const laneModels = carrier.handedOver
      ? await (await import('./models/lane-models.ts')).loadLaneModels(home, config, env)
      : undefined;
    const deps: Deps = { ...rest, ...carrier, ...omitUndefined({ laneModels }) };
    if (!deps.handedOver) await consumeWakeUps(deps);
    const own = options.queue === undefined ? deps.queue : undefined;
    return {
      deps,
      loopback: models.loopback,
      lane: (progressOfLane) => openLane(deps, { ...options, progress: progressOfLane }),
      close: () => closeInOrder([async () => own?.close(), access.close]),
    };
  } catch (error) {
    await access.close();
    throw error;
  }
}

/** A shared queue serves all lanes; one in this process is idle only when all its runs are, so lanes get their own. */
async function openLane(shared: Deps, options: AppOptions): Promise<Pick<App, 'deps' | 'close'>> {
  const { progress } = options;
  if (shared.handedOver) return { deps: { ...shared, progress }, close: () => Promise.resolve() };
  const deps = { ...shared, ...(await openQueue(options)), progress };
  await consumeWakeUps(deps);
  return { deps, close: () => deps.queue.close() };
}

/** For a command that starts or resumes runs: it works on jobs itself only when the queue is in this process. */
async function openQueue(options: QueueOptions): Promise<{ queue: JobQueue; handedOver: boolean }> {
  const address = chooseQueue(options.config, options.env);
  if (address.kind !== 'in-process') {
    const { openForRuns } = await import('./worker-queue.ts');
    return { queue: await openForRuns(address, options), handedOver: true };
  }
  const { step_tries, min_delay_ms, max_delay_ms } = options.config.retry;
  const queue = createInProcessQueue({
    // One command drives one run at a time; a worker drives more.
    concurrency: 1,
    tries: step_tries,
    minDelayMs: min_delay_ms,
    maxDelayMs: max_delay_ms,
    onRetry: (_job, { attempt, delayMs, error }) =>
      options.progress({ type: 'retry', what: 'step', attempt, delayMs, reason: error.message }),
  });
  return { queue, handedOver: false };
}
