/** Starts each tool server that an agent names once before a run, so that a missing one shows before anything is paid. */
import type { Finding } from '../../config/findings.ts';
import { isHarnessError } from '../../errors.ts';
import { listServers } from '../../pipeline/steps/server-tools.ts';
import type { OfferedTools } from '../../ports/tools/tool-servers.ts';
import type { App } from '../open-app.ts';

/** Contract: all servers have ended when it resolves. */
export async function checkToolServers(
  { agents, toolServers }: Pick<App['deps'], 'agents' | 'toolServers'>,
  signal: AbortSignal,
): Promise<Finding[]> {
  const loaded = Object.values(agents).flatMap((agent) => [agent, agent.subagent?.agent]);
  const names = listServers(loaded.flatMap((agent) => agent?.definition.tools ?? []));
  if (names.length === 0 || toolServers === undefined) return [];
  try {
    const open = await toolServers.open(names, signal);
    await open.close();
    return open.offered.flatMap(toFindings);
  } catch (error) {
    if (isHarnessError(error)) return [{ level: 'error', where: 'config/default.yaml', what: error.message }];
    throw error;
  }
}

/** In a run, a broken server only costs its tools; before the run, the person is told first. */
function toFindings({ server, definitions, problems }: OfferedTools): Finding[] {
  const level = definitions.length === 0 ? 'error' : 'warning';
  const remedy = 'mend the server, or take mcp:<server> out of agents/*/agent.yaml';
  const where = `mcp.${server}`;
  if (definitions.length === 0 && problems.length === 0) return [{ level, where, what: 'it offers no tool.', remedy }];
  return problems.map((what) => ({ level, where, what, remedy }));
}
