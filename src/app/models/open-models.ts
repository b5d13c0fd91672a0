/** Opens the source of model answers: the API, the offline model of a scenario, or a recording of either. */
import { createAnthropicModel, type BeforeRetry } from '../../adapters/anthropic/anthropic-model.ts';
import { createCatalogue } from '../../adapters/anthropic/catalogue.ts';
import { ModelTable } from '../../ports/model-table.ts';
import { probeEndpoint } from '../../adapters/anthropic/endpoint.ts';
import { chooseEndpoint } from '../../config/endpoint.ts';
import { findFile, type Home } from '../../config/home.ts';
import type { Scenario } from '../../config/load-scenario.ts';
import type { Config } from '../../config/schema.ts';
import { readYamlFile } from '../../config/yaml-file.ts';
import { HarnessError, usageError } from '../../errors.ts';
import type { AnsweredCallCounts } from '../../pipeline/spending/answered-call-counts.ts';
import type { Model, ModelCatalogue } from '../../ports/model.ts';
import type { ProviderAllowances } from '../../ports/limits.ts';
import type { Progress } from '../../ports/progress.ts';

/** Absolute folders: `record` is where model traffic is written; `replay` is the only source of answers. */
export type TrafficFolders = {
  record?: string | undefined;
  replay?: string | undefined;
  /** The answers that resumed runs have used before, so that a replay continues after them. */
  answered?: AnsweredCallCounts;
};

/** What is opened for a project; `env` is the environment of the command. */
export type ProjectSetup = { home: Home; config: Config; env: Readonly<Record<string, string | undefined>> };

export type ModelsOptions = ProjectSetup & {
  /** The scenario whose scripts answer without an API. */
  scenario: Pick<Scenario, 'simulationDir'> & { brief: Pick<Scenario['brief'], 'name'> };
  progress: Progress;
  signal: AbortSignal;
  traffic?: TrafficFolders | undefined;
  /** Called before a request is repeated: resolves when the provider's limits allow it. */
  again?: BeforeRetry | undefined;
  /** Receives the provider's own limits, as its answers report them. */
  learn?: ((model: string, allowances: ProviderAllowances) => void) | undefined;
};

export type OpenModels = {
  model: Model;
  catalogue: ModelCatalogue;
  /** True when the answers come from the offline model, now or when they were recorded. */
  simulated: boolean;
  /** The address without key, for screens and reports. */
  endpoint: string;
  /** True while every model call stays on this machine. */
  loopback: boolean;
  close: () => Promise<void>;
};

export async function openModels(options: ModelsOptions): Promise<OpenModels> {
  const { record, replay, answered } = options.traffic ?? {};
  if (record !== undefined && replay !== undefined)
    throw usageError('--record and --replay exclude each other: record first, then replay.');
  if (replay !== undefined) {
    const { openReplay } = await import('../../adapters/recorded/open-replay.ts');
    const { model, catalogue, simulated, endpoint } = await openReplay(replay, answered);
    return { model, catalogue, simulated, endpoint, loopback: true, close: () => Promise.resolve() };
  }
  const address = await openAddress(options);
  try {
    const opened = await openLive(address, options);
    if (record === undefined) return opened;
    const { simulated, endpoint } = opened;
    const { openRecording } = await import('../../adapters/recorded/open-recording.ts');
    // Leaves out the offline model's port, which differs each time and must not change a committed recording.
    const name = simulated ? 'the offline model' : endpoint;
    const recording = await openRecording(record, { simulated, endpoint: name });
    return {
      ...opened,
      model: recording.model(opened.model),
      catalogue: recording.catalogue(opened.catalogue),
    };
  } catch (error) {
    await address.close();
    throw error;
  }
}

const MODELS_FILE = 'config/models.yaml';

type Address = { url: string; apiKey: string; loopback: boolean; close: () => Promise<void> };

async function openLive(
  address: Address,
  { home, config, progress, signal, again, learn }: ModelsOptions,
): Promise<OpenModels> {
  const table = await readYamlFile(findFile(home, MODELS_FILE), ModelTable, MODELS_FILE);
  const api = {
    baseUrl: address.url,
    apiKey: address.apiKey,
    timeoutMs: config.retry.timeout_seconds * 1000,
    wholeAnswerMs: config.retry.answer_seconds * 1000,
  };
  const notify = (detail: string): void => progress({ type: 'state', status: 'notice', detail });
  const { simulated } = await askEndpoint(api, signal);
  const { call_tries, min_delay_ms, max_delay_ms, outage_minutes = 0 } = config.retry;
  // Only a script can play an outage of the offline model, so waiting would not end it.
  const outageMs = simulated ? 0 : outage_minutes * 60_000;
  const onNews = tellOnce((what) =>
    notify(
      `The model answered with ${what}, which is new to this version of Tandem: it is stored and sent back unchanged. A newer version may make use of it.`,
    ),
  );
  return {
    model: createAnthropicModel({
      ...api,
      retry: { tries: call_tries, minDelayMs: min_delay_ms, maxDelayMs: max_delay_ms, outageMs },
      onRetry: (notice) => progress({ type: 'retry', what: 'model call', ...notice }),
      ...{ again, learn, onNews },
    }),
    catalogue: createCatalogue({ ...api, table, tableFile: MODELS_FILE, onNotice: ({ message }) => notify(message) }),
    ...{ simulated, endpoint: address.url, loopback: address.loopback, close: address.close },
  };
}

/** Contract: rejects when the endpoint does not answer, or refuses the key; no model is called. */
export async function askEndpoint(
  api: Parameters<typeof probeEndpoint>[0],
  signal: AbortSignal,
): Promise<{ simulated: boolean }> {
  const { reachable, refused, simulated, detail } = await probeEndpoint(api, signal);
  const advised = `${detail} Check the network, a proxy (HTTPS_PROXY) and ANTHROPIC_BASE_URL.`;
  if (!reachable) throw new HarnessError('model_unavailable', advised, { retryable: true });
  if (refused === true) throw new HarnessError('config_invalid', detail);
  return { simulated };
}

/** Reports each text once, however many answers repeat it. */
function tellOnce(tell: (what: string) => void): (what: string) => void {
  const said = new Set<string>();
  return (what) => {
    if (!said.has(what)) tell(what);
    said.add(what);
  };
}

async function openAddress({ config, env, scenario }: ModelsOptions): Promise<Address> {
  const chosen = chooseEndpoint(config, env);
  if (chosen.kind === 'api')
    return { url: chosen.baseUrl, apiKey: chosen.apiKey, loopback: chosen.loopback, close: () => Promise.resolve() };
  const { simulationDir } = scenario;
  if (simulationDir === undefined)
    throw usageError(
      `${scenario.brief.name} has no simulation/ folder in this project, and the offline model plays from it. Bring the scenario's whole folder here, write scripts (docs/simulation.md), or set ANTHROPIC_API_KEY to use the API.`,
    );
  const { startSimulator } = await import('../../adapters/simulated/start.ts');
  const simulator = await startSimulator({ simulationDir, latencyMs: config.simulator.latency_ms });
  return { url: simulator.url, apiKey: 'offline', loopback: true, close: () => simulator.close() };
}
