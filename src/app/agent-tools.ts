/** Looks up each agent's tools, model and limits from its definition, and those of its sub-agents. */
import type { LoadedAgent } from '../agent/definition.ts';
import type { Home } from '../config/home.ts';
import { loadAgent } from '../config/load-agent.ts';
import { loadConfig } from '../config/load-config.ts';
import { ignoreHarnessError } from '../errors.ts';
import { getOrCreate } from '../get-or-create.ts';
import type { AgentToolsLookup } from '../pipeline/sessions/read-sessions.ts';
import type { AgentTools } from '../run/fold-session.ts';

/** Contract: an agent without a definition here, such as one of an imported run, has no tools. */
export function agentTools(home: Home): AgentToolsLookup {
  const known = new Map<string, ReturnType<AgentToolsLookup>>();
  return (agent) => getOrCreate(known, agent, () => loadAgentTools(home, agent).catch(ignoreHarnessError));
}

async function loadAgentTools(home: Home, agent: string): Promise<AgentTools> {
  const { subagent, ...loaded } = await loadAgent(home, agent, await loadConfig(home, {}));
  return { ...toAgentTools(loaded), ...(subagent && { subagent: toAgentTools(subagent.agent) }) };
}

function toAgentTools({ definition: { tools: names, model, max_steps: maxLoops } }: LoadedAgent): AgentTools {
  return { names, model, maxLoops };
}
