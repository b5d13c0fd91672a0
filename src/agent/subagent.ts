/** Runs a sub-agent: its own prompt, model, tools and limits, its parent's policy, its cost on the parent's account (S3.5). */
import type { Model, ModelFacts } from '../ports/model.ts';
import type { ToolHost } from '../ports/tools/tool-host.ts';
import { pickTools } from './run-tools.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { AgentConversation } from './agent-conversation.ts';
import { createRequestFitter, type FitterOptions } from './compaction/request-fitter.ts';
import type { LoadedAgent } from './definition.ts';
import type { LayerSources } from './layers.ts';
import { runTurn, type TurnDeps } from './loop.ts';
import type { RunSubagent } from './tools/subagent.ts';

export type SubagentParts = Pick<FitterOptions, 'progress' | 'calls' | 'summarizer'> & {
  /** The sub-agent's own settings, under the name of the agent that pays for it. */
  agent: LoadedAgent;
  facts: ModelFacts;
  /** Returns all tools of the lane; the sub-agent gets those that its definition names, none by default. */
  hosts: (child: AgentConversation) => readonly ToolHost[];
  /** Returns the server tools that its definition names; none when absent. */
  serverTools?: (child: AgentConversation) => ToolHost;
  modelFor: (lane: string) => Model;
  reminders: TurnDeps['reminders'];
  /** Skills and memory, for an agent whose definition gives them to its sub-agents. */
  layers?: LayerSources;
};

export function createSubagentRunner(parts: SubagentParts): RunSubagent {
  const { agent, facts, progress, reminders, layers, summarizer } = parts;
  const more = omitUndefined({ layers, summarizer, calls: parts.calls });
  return async (child, { task, maxLoops }, signal) => {
    const { lane } = child;
    const model = parts.modelFor(lane);
    const hosts = parts.hosts(child).map((host) => pickTools(host, agent.definition.tools));
    if (parts.serverTools !== undefined) hosts.push(parts.serverTools(child));
    const tools = hosts.flatMap(({ definitions }) => definitions);
    const fitter = createRequestFitter({ agent, facts, tools, model, progress, ...more });
    const deps: TurnDeps = {
      agent: `${agent.definition.name}/${lane}`,
      model,
      hosts,
      fitter,
      maxSteps: maxLoops,
      limitedBy: `max_loops of its call, at most subagent.max_loops in agents/${agent.definition.name}/agent.yaml`,
      reminders,
      progress,
    };
    return runTurn(child, { origin: 'harness', text: task }, { ...deps, signal });
  };
}
