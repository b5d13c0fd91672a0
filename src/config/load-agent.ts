/** Loads one agent as it will run: its files, with the changes of the configuration applied. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { AgentDefinition, AgentExtras, type LoadedAgent, withTrigger } from '../agent/definition.ts';
import { Policy } from '../context/policy.ts';
import { SummaryFields } from '../context/summary/summary.ts';
import { readNamedText } from '../disk/read-named-file.ts';
import { createConfigError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { fillTemplate } from '../transcript/fill-template.ts';
import { SKILL_TOOL } from '../context/facts/active-skill.ts';
import { AGENT_TOOLS, createAgentSchema, isProjectTool } from './agent-file.ts';
import { findFile, listNames, type Home } from './home.ts';
import { checkPluginTools, loadPluginPasses } from './load-plugins.ts';
import { listProjectTools, type ProjectToolList } from './project-tools.ts';
import type { AgentOverrides, Config } from './schema.ts';
import { getLayerFiles } from './load-config.ts';
import { findLineIfPresent, parseYaml, readYamlFile } from './yaml-file.ts';
import { isJsonObject } from '../scenario/json/json-value.ts';

/** Prompt files of a context core; a policy may name others for some of them. */
const PROMPTS = {
  request: 'compaction',
  standing: 'compacted',
  bridge: 'bridge',
  note: 'continue',
  fallback: 'fallback',
  repair: 'repair',
  dropped: 'dropped',
  chunk: 'chunk',
  law: 'code_law',
  rules: 'rules',
  budget: 'reminder_budget',
  skills: 'skills',
  memory: 'memory',
  recap: 'recap',
  pointer: 'pointer',
} as const;

export async function loadAgent(home: Home, name: string, config: Config): Promise<LoadedAgent> {
  const folder = `agents/${name}`;
  const own = listProjectTools(home, AGENT_TOOLS);
  const schema = createAgentSchema(Object.keys(config.mcp), own);
  const written = await readYamlFile(findFile(home, `${folder}/agent.yaml`), schema, `${folder}/agent.yaml`);
  const { model, max_tokens, policy: chosen = written.context.policy, ...numbers } = config.agents[name] ?? {};
  const { trigger, keep_steps, keep_share } = numbers;
  const extras = AgentExtras.strip().parse(omitUndefined(numbers));
  const context = { ...written.context, ...omitUndefined({ trigger, keep_steps, keep_share }), policy: chosen };
  const changed = { ...written, ...omitUndefined({ ...extras, model, max_tokens }), context };
  const definition = withSkillTool(await validateChanged(changed, schema, config));
  await checkPluginTools(home, definition, `${folder}/agent.yaml`);
  const policy = withExtras(withNumbers(await loadPolicy(home, chosen, written.context), numbers), definition);
  const agent: LoadedAgent = {
    definition,
    ...(await loadTexts(home, folder)),
    policy,
    prompts: await loadContextPrompts(home, policy),
    ...(await loadAgentSkills(home, definition, `${folder}/agent.yaml`)),
    ...omitUndefined({ projectTools: pickProjectTools(definition, own), passes: await loadPluginPasses(home, policy) }),
  };
  return { ...agent, ...(await loadSubagent(home, agent)) };
}

/** Picks the project's tools that the agent or its sub-agents name. */
function pickProjectTools(
  { tools, subagent }: AgentDefinition,
  { dir, files }: ProjectToolList,
): LoadedAgent['projectTools'] {
  const names = [...new Set([...tools, ...(subagent?.tools ?? [])])].filter(isProjectTool);
  const found = names.flatMap((name) => {
    const path = files.get(name);
    return path === undefined ? [] : [{ name, path }];
  });
  return dir === undefined || found.length === 0 ? undefined : { dir, files: found };
}

async function loadTexts(home: Home, folder: string): Promise<Pick<LoadedAgent, 'systemPrompt' | 'fields'>> {
  const shown = `${folder}/summary.yaml`;
  return {
    systemPrompt: await readFile(findFile(home, `${folder}/system_prompt.md`), 'utf8'),
    fields: await readYamlFile(findFile(home, shown), SummaryFields, shown),
  };
}

/** Loads the skills of an agent whose definition names a folder of them; its sub-agents share them (S3.5). */
async function loadAgentSkills(
  home: Home,
  { skills }: LoadedAgent['definition'],
  shown: string,
): Promise<Pick<LoadedAgent, 'skills'>> {
  if (skills === undefined) return {};
  const { loadSkills } = await import('./load-skills.ts');
  return { skills: await loadSkills(home, skills.folder, shown) };
}

async function loadSubagent(home: Home, agent: LoadedAgent): Promise<Pick<LoadedAgent, 'subagent'>> {
  const { subagent, memory, skills, ...definition } = agent.definition;
  if (subagent === undefined) return {};
  const { tools, max_loops: loops } = subagent;
  const folder = `agents/${subagent.agent}`;
  const strategy = await readFile(findFile(home, `${folder}/strategy.md`), 'utf8');
  const own = omitUndefined({
    ...definition,
    ...{ model: subagent.model ?? definition.model, tools, max_steps: loops },
    memory: subagent.memory === true ? memory : undefined,
    skills: tools.includes(SKILL_TOOL) ? skills : undefined,
  });
  return {
    subagent: {
      strategy: fillTemplate(strategy, { tools: tools.join(', ') || 'no tools', max_loops: loops }),
      agent: { ...agent, ...(await loadTexts(home, folder)), definition: own },
    },
  };
}

/** Applies numbers set outside the policy; numbers for a rule that the policy does not have are ignored. */
function withNumbers(
  policy: Policy,
  { trigger, keep_steps: steps, keep_share: share, messages, keep_turns }: PolicyNumbers,
) {
  const limit = policy.trigger.messages === undefined ? undefined : messages;
  const turns = (spec: Policy['passes'][number]) =>
    keep_turns !== undefined && spec.pass === 'keep-latest-turns' ? { ...spec, turns: keep_turns } : spec;
  return Policy.parse({
    ...policy,
    trigger: {
      ...withTrigger(policy.trigger, trigger),
      ...omitUndefined({ messages: limit }),
    },
    keep: { ...policy.keep, ...omitUndefined({ steps, share }) },
    passes: policy.passes.map(turns),
  });
}

type PolicyNumbers = Omit<AgentOverrides, 'model' | 'max_tokens' | 'policy'>;

/** Validates the definition after a profile changed it; the file by itself was validated when it was read. */
async function validateChanged(
  changed: AgentDefinition,
  schema: typeof AgentDefinition,
  config: Config,
): Promise<AgentDefinition> {
  const parsed = schema.safeParse(changed);
  if (parsed.success) return parsed.data;
  const layers = getLayerFiles(config).map(async (file) => ({ ...file, text: await readFile(file.path, 'utf8') }));
  const texts = await Promise.all(layers);
  const faults = parsed.error.issues.map(({ path, message }) => {
    const place = ['agents', changed.name, ...path.map(String)];
    const [found] = texts.flatMap(({ shown, text }) => {
      const line = findLineIfPresent(text, place, 3);
      return line === undefined ? [] : [`${shown}:${line}`];
    });
    return `${found ?? `config/ changes agents/${changed.name}/agent.yaml`}: ${place.join('.')}: ${message}`;
  });
  throw createConfigError(faults.join('\n'));
}

function withSkillTool(definition: AgentDefinition): AgentDefinition {
  if (definition.skills === undefined) return definition;
  return { ...definition, tools: [...new Set([...definition.tools, SKILL_TOOL])] };
}

/** Adds the memory and skills that the agent asks for, because a policy alone brings neither. */
function withExtras(policy: Policy, { memory, skills }: AgentDefinition): Policy {
  const { layers } = policy;
  return {
    ...policy,
    layers: {
      ...layers,
      ...(memory === undefined ? {} : { memory: { limit: memory.limit, tokens: memory.tokens } }),
      ...(skills === undefined ? {} : { skills: true }),
    },
  };
}

/** Loads the texts of a policy's core: the ordinary prompt files, or those that the policy names instead. */
export async function loadContextPrompts(home: Home, policy: Policy): Promise<LoadedAgent['prompts']> {
  const texts = Object.entries({ ...PROMPTS, ...policy.prompts }).map(
    async ([key, file]) => [key, await readFile(findFile(home, `prompts/${file}.md`), 'utf8')] as const,
  );
  const inject = policy.layers.inject.map(async (file) => readFile(findFile(home, `prompts/${file}.md`), 'utf8'));
  const named = Object.fromEntries(await Promise.all(texts)) as Omit<LoadedAgent['prompts'], 'inject'>;
  return inject.length === 0 ? named : { ...named, inject: await Promise.all(inject) };
}

const PolicyFile = z.looseObject({ extends: z.string().optional() });

/**
 * Loads `config/context/<name>.yaml`; a file with `extends: <other>` names only its changes, section by section.
 * `agent` holds its numbers for this policy; a policy that extends it may set others (S1.10, S1.15, S2.9).
 */
export async function loadPolicy(home: Home, name: string, agent?: AgentDefinition['context']): Promise<Policy> {
  const policy = await readPolicy(home, name, agent);
  return agent?.policy === name ? withNumbers(policy, agent) : policy;
}

async function readPolicy(home: Home, name: string, agent?: AgentDefinition['context']): Promise<Policy> {
  const shown = `config/context/${name}.yaml`;
  const known = listNames(home, 'config/context').map((file) => file.replace(/\.yaml$/, ''));
  if (!known.includes(name)) {
    throw createConfigError(`No context policy is named "${name}". There are: ${known.join(', ')} (config/context/).`);
  }
  const path = findFile(home, shown);
  const text = await readNamedText(path, shown);
  const { extends: base, ...changes } = parseYaml(text, PolicyFile, shown);
  if (base === undefined) return parseYaml(text, Policy, shown);
  if (base === name) throw createConfigError(`${shown}: extends itself.`);
  const merged = mergeSections(await loadPolicy(home, base, agent), changes);
  const parsed = Policy.safeParse(merged);
  if (parsed.success) return parsed.data;
  throw createConfigError(`${shown} (over ${base}.yaml): ${z.prettifyError(parsed.error)}`);
}

function mergeSections(base: Record<string, unknown>, changes: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...base };
  for (const [key, value] of Object.entries(changes)) {
    const old = merged[key];
    merged[key] =
      isJsonObject(old) && isJsonObject(value)
        ? { ...(key === 'trigger' ? withoutSize(old, value) : old), ...value }
        : value;
  }
  return merged;
}

/** Drops the base policy's trigger size where the extending policy sets one, since mixing both would suit neither. */
function withoutSize(old: Record<string, unknown>, changes: Record<string, unknown>): Record<string, unknown> {
  const { ratio: _ratio, tokens: _tokens, ...rest } = old;
  return 'ratio' in changes || 'tokens' in changes ? rest : old;
}
