/** Batched calls: one batch collector for each endpoint, shared by all scenarios and runs. */
import type { EndpointOptions } from '../../adapters/anthropic/endpoint.ts';
import type { Config } from '../../config/schema.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Model } from '../../ports/model.ts';
import type { Economy } from '../../ports/economy.ts';

/** Keyed by address and key. */
export type Economies = Map<string, Promise<Economy>>;

export type EconomySettings = {
  config: Pick<Config, 'economy' | 'retry'>;
  /** Shared by callers that open several applications. */
  economies?: Economies | undefined;
  /** The model that finishes calls live. */
  live: Model;
  simulated: boolean;
  onNews: (what: string) => void;
  signal: AbortSignal;
};

/** Contract: `usage` when the endpoint has no batches, before anything is paid. */
export async function economyAt(api: EndpointOptions, settings: EconomySettings): Promise<Economy> {
  const { economies = new Map() as Economies } = settings;
  const key = `${api.baseUrl} ${api.apiKey}`;
  const opened = economies.get(key) ?? startEconomy(api, settings);
  economies.set(key, opened);
  return opened;
}

async function startEconomy(
  api: EndpointOptions,
  { config, live, simulated, onNews, signal }: EconomySettings,
): Promise<Economy> {
  const { checkBatches } = await import('../../adapters/anthropic/batches/batches-api.ts');
  await checkBatches(api, signal);
  const { gather_ms: gatherMs, poll_ms: min, poll_max_ms: max, live_after_minutes: minutes } = config.economy;
  const { openEconomy } = await import('../../adapters/anthropic/batches/economy.ts');
  return openEconomy({
    ...api,
    ...{ live, simulated, onNews, gatherMs, pollMs: { min, max: Math.max(min, max) } },
    ...{ tries: config.retry.call_tries, liveAfterMs: minutes === undefined ? undefined : minutes * 60_000 },
  });
}

/** Wraps each of its models; it stays known which of them wait for batches. */
export function aroundEconomy(economy: Economy, around: (model: Model) => Model): Economy {
  return {
    model: (lane) => {
      const model = economy.model(lane);
      return { ...around(model), ...omitUndefined({ batch: model.batch }) };
    },
  };
}
