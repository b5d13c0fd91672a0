/** Builds what a policy or a definition may add to an agent: a summary model, layers of its workspace, sub-agents. */
import { join } from 'node:path';
import type { Summarizer } from '../../agent/compaction/summary-call.ts';
import type { CallLog, AgentConversation } from '../../agent/agent-conversation.ts';
import { buildProjectRules, type LayerSources } from '../../agent/layers.ts';
import { type LoadedAgent, skillLines } from '../../agent/definition.ts';
import type { TurnDeps } from '../../agent/loop.ts';
import { controlToolHost, type ControlTool } from '../../agent/tools/control-tool.ts';
import { createRecallTool } from '../../agent/tools/recall.ts';
import { SKILL_FOLDER, skillTool } from '../../agent/tools/skill.ts';
import { SUBAGENT_TOOL, createSubagentTool } from '../../agent/tools/subagent.ts';
import { WRITES } from '../../agent/tools/fresh-reads.ts';
import { todoTool } from '../../agent/tools/schemas.ts';
import { SKILL_TOOL } from '../../context/facts/active-skill.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { ToolHost, Mount } from '../../ports/tools/tool-host.ts';
import type { Deps } from '../deps.ts';
import type { ServerTools } from './server-tools.ts';
import type { ModelFor } from './step-models.ts';
import { omitUndefined } from '../../omit-undefined.ts';

type OtherModel = { model: string | undefined; lane: 'summary' | 'fallback'; agent: string };

/** Builds a model beside the agent's own, in a lane of its own; it is paid like every other call (S1.13). */
export async function buildOtherModel(
  { model, lane, agent }: OtherModel,
  modelFor: ModelFor,
  { deps, signal }: { deps: Pick<Deps, 'catalogue'>; signal: AbortSignal },
): Promise<Summarizer | undefined> {
  if (model === undefined) return undefined;
  const facts = await deps.catalogue.describe(model, signal);
  return { facts, model: modelFor(`${agent}/${lane}`, agent, facts) };
}

export type ReminderPrompts = Pick<
  Deps['prompts'],
  'reminder_cut' | 'reminder_empty' | 'reminder_thinking' | 'reminder_limit'
>;

export function toReminders(prompts: ReminderPrompts): TurnDeps['reminders'] {
  const { reminder_cut: cut, reminder_empty: empty, reminder_thinking: thinking, reminder_limit: limit } = prompts;
  return { cut, empty, thinking, limit };
}

/** Returns the folder with the run's own copy of the rules, so that they cannot change half-way. */
export function getRulesDir({ dir }: Pick<RunFolder, 'dir'>): string {
  return join(dir, 'scenario');
}

/** The sources of an agent's layers: the folder whose `CODE_LAW.md` counts, its memory, and the rules that a person approved. */
export type LayerParts = {
  rules: string;
  recall?: LayerSources['recall'] | undefined;
  pinned?: LayerSources['pinned'] | undefined;
};

export function buildLayers(agent: LoadedAgent, { rules, recall, pinned }: LayerParts): LayerSources {
  const { law } = agent.policy.layers;
  const cap = agent.definition.skills;
  return omitUndefined({
    law: law === undefined ? undefined : buildProjectRules(rules, law),
    skills: cap && (async () => skillLines(agent.skills ?? [], cap)),
    strategy: agent.subagent?.strategy,
    recall,
    pinned,
  });
}

/** Builds the tool that loads a skill, and the mounts of the skills' folders, which the agent may read. */
export function buildSkills(
  { definition, skills = [] }: LoadedAgent,
  description: string,
): { tools: ControlTool[]; mounts: Mount[] } {
  const offered = skills.slice(0, definition.skills?.most ?? 0);
  if (offered.length === 0) return { tools: [], mounts: [] };
  return {
    tools: [skillTool(description, offered, definition.tools)],
    mounts: offered.map(({ name, dir }) => ({ logical: `${SKILL_FOLDER}/${name}`, physical: dir, writable: false })),
  };
}

type SubagentParts = LayerParts & {
  agent: LoadedAgent;
  /** Returns the agent's files as one lane has read and worked on them. */
  filesOf: (lane: AgentConversation) => ToolHost;
  modelFor: ModelFor;
  servers: ServerTools;
  reminders: TurnDeps['reminders'];
  calls: CallLog;
  summarizer?: Summarizer | undefined;
  deps: Pick<Deps, 'catalogue' | 'prompts' | 'progress'>;
};

/** Builds `call_subagent` for an agent whose definition names it; its calls are booked on the agent (S3.5). */
export async function buildSubagent(
  session: AgentConversation,
  parts: SubagentParts,
  signal: AbortSignal,
): Promise<ControlTool[]> {
  const { reminders, calls, summarizer, deps, rules, recall, pinned } = parts;
  const { name } = parts.agent.definition;
  const agent = parts.agent.subagent?.agent;
  if (agent === undefined) return [];
  const { createSubagentRunner } = await import('../../agent/subagent.ts');
  const facts = await deps.catalogue.describe(agent.definition.model, signal);
  const tool = createSubagentTool(deps.prompts.tools[SUBAGENT_TOOL] ?? '', {
    session,
    mostLoops: agent.definition.max_steps,
    parallel: !agent.definition.tools.some((one) => WRITES.has(one)),
    run: createSubagentRunner({
      agent,
      facts,
      hosts: (child) => [parts.filesOf(child), createOwnTools(child, agent, deps.prompts)],
      serverTools: (child) => parts.servers.hostOf(child.lane, agent.definition.tools),
      modelFor: (lane) => parts.modelFor(`${name}/${lane}`, name, facts),
      reminders,
      progress: deps.progress,
      calls,
      layers: buildLayers(agent, { rules, pinned, recall: agent.definition.memory && recall }),
      ...omitUndefined({ summarizer }),
    }),
  });
  return [tool];
}

/** Adds to the files of a separate conversation: its plan, the entries that left its view, its skills. */
function createOwnTools(child: AgentConversation, agent: LoadedAgent, { tools }: Deps['prompts']): ToolHost {
  const skills = buildSkills(agent, tools[SKILL_TOOL] ?? '').tools;
  const common = [todoTool(tools['todo_write'] ?? ''), createRecallTool(tools['recall'] ?? '', () => child.entries)];
  return controlToolHost([...common, ...skills]);
}
