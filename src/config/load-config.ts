/** Merges the shipped `config/default.yaml`, the project's own, a profile and flags, in this order, into one Config. */
import { join } from 'node:path';
import { createConfigError, usageError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { isJsonObject } from '../scenario/json/json-value.ts';
import { findFile, findOwnFile, isWritableByOthers, listNames, type Home } from './home.ts';
import { formatSuggestion, findToolFault } from './agent-file.ts';
import { readProject } from './project.ts';
import { AgentOverrides, Config, ConfigLayer } from './schema.ts';
import type { Env } from './store.ts';
import { readYamlFile } from './yaml-file.ts';

const DEFAULTS = 'config/default.yaml';

export async function loadConfig(
  home: Home,
  options: { profile?: string; flags?: Partial<ConfigLayer>; env?: Env },
): Promise<Config> {
  const base = await readYamlFile(join(home.shipped, DEFAULTS), Config, DEFAULTS);
  const own = findOwnFile(home, DEFAULTS);
  const project = own === undefined ? undefined : await readLayer(home, own, DEFAULTS);
  const name = options.profile ?? (await readProject(home))?.defaults.profile;
  const profile = name === undefined ? undefined : await readProfile(home, name);
  const layers = [
    project?.layer,
    profile?.layer,
    readEnvironment(options.env ?? {}, listNames(home, 'agents')),
    options.flags,
  ];
  const config = deepFreeze(layers.reduce<Config>((merged, layer) => mergeLayer(merged, layer ?? {}), base));
  layerFiles.set(
    config,
    [profile, project].flatMap((one) => one?.file ?? []),
  );
  return config;
}

type LayerFile = { path: string; shown: string };
const layerFiles = new WeakMap<Config, readonly LayerFile[]>();

/** Returns the project files that were laid over the shipped defaults, the last one first. */
export const getLayerFiles = (config: Config): readonly LayerFile[] => layerFiles.get(config) ?? [];

/** Environment variables that set a context policy (S1.8, S3.2) for every agent, and the agents of a run. */
const VARIABLES = { messages: 'MAX_MESSAGE_HISTORY', keep_turns: 'TANDEM_KEEP_TURNS' } as const;
const AGENTS = ['init', 'execute'];

function readEnvironment(env: Env, names: readonly string[]): Pick<ConfigLayer, 'agents'> {
  const said = Object.entries(VARIABLES).flatMap(([key, name]) => {
    const text = env[name]?.trim();
    if (text === undefined || text === '') return [];
    const parsed = AgentOverrides.safeParse({ [key]: Number(text) });
    if (parsed.success) return [[key, Number(text)] as const];
    throw usageError(`${name}=${text}: ${parsed.error.issues[0]?.message ?? 'not a number'}.`);
  });
  if (said.length === 0) return {};
  const overrides = Object.fromEntries(said);
  // Chats and sessions count as well, because they have the most turns of a person.
  return { agents: Object.fromEntries(names.map((name) => [name, overrides])) };
}

/** Applies the same overrides to both agents of a run. */
export function forBothAgents(overrides: AgentOverrides): Config['agents'] {
  return Object.fromEntries(AGENTS.map((name) => [name, overrides]));
}

async function readProfile(home: Home, name: string): ReturnType<typeof readLayer> {
  const known = listNames(home, 'config/profiles').map((file) => file.replace(/\.yaml$/, ''));
  if (!known.includes(name)) {
    throw usageError(`No profile is named "${name}". There are: ${known.join(', ')} (config/profiles/).`);
  }
  const shown = `config/profiles/${name}.yaml`;
  return readLayer(home, findFile(home, shown), shown);
}

async function readLayer(home: Home, path: string, shown: string): Promise<{ layer: ConfigLayer; file: LayerFile }> {
  return {
    layer: refuseUnsafeLayer(await readYamlFile(path, createLayerSchema(home), shown), path),
    file: { path, shown },
  };
}

/** Refuses changes to unknown agents or tools: a misspelt name would otherwise change nothing without a message. */
function createLayerSchema(home: Home): typeof ConfigLayer {
  return ConfigLayer.superRefine(({ agents = {} }, context) => {
    const known = listNames(home, 'agents');
    for (const [name, { tools, subagent }] of Object.entries(agents)) {
      const complain = (path: (string | number)[], message: string) =>
        context.addIssue({ code: 'custom', path: ['agents', name, ...path], message });
      if (!known.includes(name))
        complain([], `no agent is named "${name}".${formatSuggestion(name, known)} There are: ${known.join(', ')}.`);
      for (const [path, names] of [
        [['tools'], tools],
        [['subagent', 'tools'], subagent?.tools],
      ] as const)
        for (const [index, tool] of (names ?? []).entries()) {
          const fault = findToolFault(home, tool);
          if (fault !== undefined) complain([...path, index], fault);
        }
    }
  });
}

/** A file that others can write must not switch the sandbox off or start servers: their code would run as this user. */
function refuseUnsafeLayer(layer: ConfigLayer, path: string): ConfigLayer {
  if (!isWritableByOthers(path)) return layer;
  if (layer.mcp !== undefined)
    throw createConfigError(
      `${path} names servers of tools (mcp), and another user can write to it: they are programs that would run as you. Take them out, or make the file yours.`,
    );
  if (layer.sandbox?.allow_unsandboxed !== true) return layer;
  throw createConfigError(
    `${path} says sandbox.allow_unsandboxed, and another user can write to it: the sandbox stays on. Take it out, make the file yours, or say --allow-unsandboxed yourself.`,
  );
}

/** Sections merge key by key, overrides merge per agent, and a trigger is replaced as a whole. */
function mergeLayer(config: Config, layer: Partial<ConfigLayer>): Config {
  const agents = { ...config.agents };
  for (const [name, overrides] of Object.entries(layer.agents ?? {})) agents[name] = { ...agents[name], ...overrides };
  const before: Record<string, unknown> = config;
  const merged = Object.entries(omitUndefined(layer)).map(([key, value]) => {
    const old = before[key];
    return [key, isJsonObject(old) && isJsonObject(value) ? { ...old, ...value } : value];
  });
  return Config.parse({ ...config, ...Object.fromEntries(merged), agents });
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}
