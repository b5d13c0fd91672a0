/** Which lane the steps of either agent wait in: that of the provider and the model that the configuration names. */
import { chooseEndpoint } from '../../config/endpoint.ts';
import type { Home } from '../../config/home.ts';
import { providerOf } from '../../config/endpoint.ts';
import { loadAgent } from '../../config/load-agent.ts';
import type { Config } from '../../config/schema.ts';
import type { NextLane, StepLane } from '../../ports/job-queue.ts';

export const STEP_LANES: readonly StepLane[] = ['init', 'execute'];

type Env = Readonly<Record<string, string | undefined>>;

export async function laneModelsOf(home: Home, config: Config, env: Env): Promise<Record<StepLane, string>> {
  const provider = providerOf(chooseEndpoint(config, env));
  const modelOf = async (agent: StepLane) => `${provider}/${(await loadAgent(home, agent, config)).definition.model}`;
  return { init: await modelOf('init'), execute: await modelOf('execute') };
}

export async function nextLanesOf(home: Home, config: Config, env: Env): Promise<NextLane[]> {
  const models = await laneModelsOf(home, config, env);
  return STEP_LANES.map((lane) => ({ lane, model: models[lane] }));
}
