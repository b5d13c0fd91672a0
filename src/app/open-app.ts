/** The composition root: which adapter stands behind which port. */
import { createAnthropicModel } from '../adapters/anthropic/anthropic-model.ts';
import { createCatalogue } from '../adapters/anthropic/catalogue.ts';
import { createFileTools } from '../adapters/anthropic/file-tools.ts';
import { ModelTable } from '../adapters/anthropic/models-table.ts';
import { probeEndpoint } from '../adapters/anthropic/probe-endpoint.ts';
import { openSandbox } from '../adapters/sandbox/open-sandbox.ts';
import { startSimulator } from '../adapters/simulated/start.ts';
import { chooseEndpoint } from '../config/endpoint.ts';
import { findFile, type Home } from '../config/home.ts';
import { loadAgent } from '../config/load-agent.ts';
import { loadPrompts } from '../config/load-prompts.ts';
import type { Scenario } from '../config/load-scenario.ts';
import type { Config } from '../config/schema.ts';
import { readYamlFile } from '../config/yaml-file.ts';
import { HarnessError } from '../errors.ts';
import type { Deps } from '../pipeline/deps.ts';
import { openQueue } from './open-queue.ts';
import { openStore } from './open-store.ts';
import { work } from '../pipeline/drive.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { Progress } from '../ports/progress.ts';
import type { Sandbox } from '../ports/sandbox.ts';

/** The longest result of one file tool call, in characters (S3.9). */
const MAX_RESULT_CHARS = 60_000;

export type App = {
  deps: Deps;
  /** True while every model call stays on this machine. */
  loopback: boolean;
  close: () => Promise<void>;
};

export type AppOptions = {
  home: Home;
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  scenario: Scenario;
  /** A worker's own; absent: the one that TANDEM_QUEUE names, or one in this process. */
  queue?: JobQueue;
  progress: Progress;
  signal: AbortSignal;
};

/** Opens everything that a run needs; nothing is called and nothing is written before the first wake-up. */
export async function openApp(options: AppOptions): Promise<App> {
  const { home, config, progress, signal } = options;
  const endpoint = await openEndpoint(options);
  try {
    const table = await readYamlFile(findFile(home, 'config/models.yaml'), ModelTable, 'config/models.yaml');
    const api = { baseUrl: endpoint.url, apiKey: endpoint.apiKey, timeoutMs: config.retry.timeout_seconds * 1000 };
    const probe = await probeEndpoint(api, signal);
    if (!probe.reachable)
      throw new HarnessError('model_unavailable', `The model at ${endpoint.url} cannot be reached: ${probe.detail}`, {
        retryable: true,
      });
    const { call_tries, min_delay_ms, max_delay_ms } = config.retry;
    const own = options.queue === undefined ? await openQueue(options) : undefined;
    const queue = options.queue ?? own?.queue;
    if (queue === undefined) throw new HarnessError('infrastructure', 'No queue could be opened.');
    const deps: Deps = {
      ...openStore(home, progress),
      queue,
      handedOver: own?.handedOver ?? true,
      model: createAnthropicModel({
        ...api,
        retry: { tries: call_tries, minDelayMs: min_delay_ms, maxDelayMs: max_delay_ms },
        onRetry: (notice) => progress({ type: 'retry', what: 'model call', ...notice }),
      }),
      catalogue: createCatalogue({
        ...api,
        table,
        tableFile: 'config/models.yaml',
        onNotice: ({ message }) => progress({ type: 'state', status: 'notice', detail: message }),
      }),
      sandbox: once(() => openSandbox({ allowUnsandboxed: config.sandbox.allow_unsandboxed })),
      fileTools: (mounts) => createFileTools({ mounts, maxResultChars: MAX_RESULT_CHARS }),
      agents: { init: await loadAgent(home, 'init', config), execute: await loadAgent(home, 'execute', config) },
      prompts: await loadPrompts(home),
      config,
      simulated: probe.simulated,
      endpoint: endpoint.url,
    };
    if (!deps.handedOver) await work(deps);
    return { deps, loopback: endpoint.loopback, close: () => closeBoth(own?.queue, endpoint) };
  } catch (error) {
    await endpoint.close();
    throw error;
  }
}

type OpenEndpoint = { url: string; apiKey: string; loopback: boolean; close: () => Promise<void> };

async function openEndpoint({ config, env, scenario }: AppOptions): Promise<OpenEndpoint> {
  const chosen = chooseEndpoint(config, env);
  if (chosen.kind === 'api')
    return { url: chosen.baseUrl, apiKey: chosen.apiKey, loopback: chosen.loopback, close: () => Promise.resolve() };
  if (scenario.simulationDir === undefined) {
    throw new HarnessError(
      'usage',
      `${scenario.brief.name} has no simulation/ folder for the offline model. Set ANTHROPIC_API_KEY to use the API, or write scripts (docs/simulation.md).`,
    );
  }
  const simulator = await startSimulator({
    simulationDir: scenario.simulationDir,
    latencyMs: config.simulator.latency_ms,
  });
  return { url: simulator.url, apiKey: 'offline', loopback: true, close: () => simulator.close() };
}

function once(open: () => Promise<Sandbox>): () => Promise<Sandbox> {
  let opened: Promise<Sandbox> | undefined;
  return () => (opened ??= open());
}

async function closeBoth(queue: JobQueue, endpoint: OpenEndpoint): Promise<void> {
  try {
    await queue.close();
  } finally {
    await endpoint.close();
  }
}
