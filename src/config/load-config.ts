/** `config/default.yaml`, a profile over it, and flags over both: one frozen Config. */
import { HarnessError } from '../errors.ts';
import { findFile, namesIn, type Home } from './home.ts';
import { Config, ConfigLayer } from './schema.ts';
import { readYamlFile } from './yaml-file.ts';

export async function loadConfig(
  home: Home,
  options: { profile?: string; flags?: Partial<ConfigLayer> },
): Promise<Config> {
  const base = await readYamlFile(findFile(home, 'config/default.yaml'), Config, 'config/default.yaml');
  const profile = options.profile === undefined ? undefined : await readProfile(home, options.profile);
  return deepFreeze([profile, options.flags].reduce<Config>((config, layer) => merge(config, layer ?? {}), base));
}

async function readProfile(home: Home, name: string): Promise<ConfigLayer> {
  const known = namesIn(home, 'config/profiles').map((file) => file.replace(/\.yaml$/, ''));
  if (!known.includes(name)) {
    throw new HarnessError(
      'usage',
      `No profile is named "${name}". There are: ${known.join(', ')} (config/profiles/).`,
    );
  }
  const shown = `config/profiles/${name}.yaml`;
  return readYamlFile(findFile(home, shown), ConfigLayer, shown);
}

/** Sections merge key by key; an agent's overrides merge per agent, a trigger is replaced whole. */
function merge(config: Config, layer: Partial<ConfigLayer>): Config {
  const agents = { ...config.agents };
  for (const [name, overrides] of Object.entries(layer.agents ?? {})) agents[name] = { ...agents[name], ...overrides };
  return Config.parse({
    ...config,
    endpoint: layer.endpoint ?? config.endpoint,
    on_gate: { ...config.on_gate, ...layer.on_gate },
    samples_in_parallel: layer.samples_in_parallel ?? config.samples_in_parallel,
    judge_again: layer.judge_again ?? config.judge_again,
    retry: { ...config.retry, ...layer.retry },
    sandbox: { ...config.sandbox, ...layer.sandbox },
    simulator: { ...config.simulator, ...layer.simulator },
    economy: { ...config.economy, ...layer.economy },
    limits: layer.limits ?? config.limits,
    queue: { ...config.queue, ...layer.queue },
    agents,
  });
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}
