/** What a policy or a definition may add to an agent: another model for summaries, layers of its workspace, sub-agents. */
import type { Summarizer } from '../agent/ask.ts';
import type { Stopwatch } from '../agent/compactor.ts';
import { codeLawOf } from '../agent/code-law.ts';
import type { LoadedAgent } from '../agent/definition.ts';
import type { LayerSources } from '../agent/layers.ts';
import type { TurnDeps } from '../agent/loop.ts';
import type { Session } from '../agent/session.ts';
import { skillLines } from '../agent/skill-lines.ts';
import { createSubagentRunner } from '../agent/subagent.ts';
import type { ControlTool } from '../agent/tools/control-tool.ts';
import { SKILL_FOLDER, skillTool } from '../agent/tools/skill.ts';
import { subagentTool } from '../agent/tools/subagent.ts';
import type { ModelFacts } from '../ports/model.ts';
import type { ToolHost } from '../ports/tool-host.ts';
import type { Deps, Mount } from './deps.ts';
import type { ModelFor } from './work-step.ts';

/** A policy may name another model for the summaries; it is paid like every other call (S1.13). */
export async function summarizerOf(
  agent: LoadedAgent,
  modelFor: ModelFor,
  deps: Deps,
  signal: AbortSignal,
): Promise<{ summarizer?: Summarizer }> {
  const name = agent.policy.summary.model;
  if (name === undefined) return {};
  const facts = await deps.catalogue.describe(name, signal);
  const own = agent.definition.name;
  return { summarizer: { facts, model: modelFor(`${own}/summary`, own, facts) } };
}

/** A run's workspace is its own copy of the scenario, so that its rules cannot change half-way. */
export function layersOf(agent: LoadedAgent, mounts: readonly Mount[], recall: LayerSources['recall']): LayerSources {
  const { law } = agent.policy.layers;
  const workspace = mounts.find(({ logical }) => logical === 'scenario');
  const cap = agent.definition.skills;
  return {
    ...(law === undefined || workspace === undefined ? {} : { law: codeLawOf(workspace.physical, law) }),
    ...(cap === undefined ? {} : { skills: async () => skillLines(agent.skills ?? [], cap) }),
    ...(recall === undefined ? {} : { recall }),
  };
}

/** The tool that loads a skill, and the folders in which the agent may read what stands beside it. */
export function skillsOf(
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

type SubagentParts = {
  agent: LoadedAgent;
  facts: ModelFacts;
  files: ToolHost;
  modelFor: ModelFor;
  reminders: TurnDeps['reminders'];
  stopwatch: Stopwatch;
  deps: Deps;
};

/** `call_subagent`, for an agent whose definition names it; its calls are booked on the agent (S3.5). */
export function subagentOf(session: Session, parts: SubagentParts): ControlTool {
  const { agent, facts, files, modelFor, reminders, stopwatch, deps } = parts;
  const { definition } = agent;
  return subagentTool(deps.prompts.tools['call_subagent'] ?? '', {
    session,
    mostLoops: definition.subagent?.max_loops ?? 1,
    run: createSubagentRunner({
      agent: agent,
      facts,
      hosts: [files],
      modelFor: (lane) => modelFor(`${definition.name}/${lane}`, definition.name, facts),
      reminders,
      progress: deps.progress,
      stopwatch,
    }),
  });
}
