/** The tools of each agent by its definition: those that an active skill may narrow, and those that always remain. */
import { isGoverned } from '../agent/tools/skill.ts';
import type { Home } from '../config/home.ts';
import { loadAgent } from '../config/load-agent.ts';
import { loadConfig } from '../config/load-config.ts';
import { isHarnessError } from '../errors.ts';
import type { AgentToolsLookup } from '../pipeline/sessions/read-sessions.ts';

/** Contract: an agent without a definition here, such as one of an imported run, has no tools here. */
export function agentTools(home: Home): AgentToolsLookup {
  const known = new Map<string, ReturnType<AgentToolsLookup>>();
  return (agent) => {
    const found = known.get(agent) ?? load(home, agent);
    known.set(agent, found);
    return found;
  };
}

async function load(home: Home, agent: string): ReturnType<AgentToolsLookup> {
  try {
    const { definition } = await loadAgent(home, agent, await loadConfig(home, {}));
    const { tools, model, max_steps: maxLoops } = definition;
    const persistent = tools.filter((name) => !isGoverned(name));
    return { governed: tools.filter(isGoverned), persistent, model, maxLoops };
  } catch (error) {
    if (isHarnessError(error)) return undefined;
    throw error;
  }
}
