/** The lane in which each agent's steps wait: that of the configured provider and model. */
import type { Env } from '../../config/store.ts';
import { chooseEndpoint, getProviderName } from '../../config/endpoint.ts';
import type { Home } from '../../config/home.ts';
import { loadAgent } from '../../config/load-agent.ts';
import type { Config } from '../../config/schema.ts';
import type { NextLane, StepLane } from '../../ports/job-queue.ts';

export const STEP_LANES: readonly StepLane[] = ['init', 'execute'];

export async function loadLaneModels(home: Home, config: Config, env: Env): Promise<Record<StepLane, string>> {
  const provider = getProviderName(chooseEndpoint(config, env));
  const modelOf = async (agent: StepLane) => `${provider}/${(await loadAgent(home, agent, config)).definition.model}`;
  return { init: await modelOf('init'), execute: await modelOf('execute') };
}

export async function loadNextLanes(home: Home, config: Config, env: Env): Promise<NextLane[]> {
  const models = await loadLaneModels(home, config, env);
  return STEP_LANES.map((lane) => ({ lane, model: models[lane] }));
}
