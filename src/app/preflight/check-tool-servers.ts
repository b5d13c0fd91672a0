/** Before a run: each server of tools that an agent names is started once, so that its absence shows before anything is paid. */
import type { Finding } from '../../config/findings.ts';
import { isHarnessError } from '../../errors.ts';
import { serversOf } from '../../pipeline/steps/server-tools.ts';
import type { OfferedTools } from '../../ports/tools/tool-servers.ts';
import type { App } from '../open-app.ts';

/** Contract: all servers are ended when resolved. */
export async function checkToolServers(
  { agents, toolServers }: Pick<App['deps'], 'agents' | 'toolServers'>,
  signal: AbortSignal,
): Promise<Finding[]> {
  const definitions = Object.values(agents).flatMap(({ definition, subagent }) => [
    definition,
    subagent?.agent.definition,
  ]);
  const names = serversOf(definitions.flatMap((definition) => definition?.tools ?? []));
  if (names.length === 0 || toolServers === undefined) return [];
  try {
    const open = await toolServers.open(names, signal);
    await open.close();
    return open.offered.flatMap(findingsOf);
  } catch (error) {
    if (isHarnessError(error)) return [{ level: 'error', where: 'config/default.yaml', what: error.message }];
    throw error;
  }
}

/** In a run such a server costs its tools only; a person who starts one learns of it first. */
function findingsOf({ server, definitions, problems }: OfferedTools): Finding[] {
  const level = definitions.length === 0 ? 'error' : 'warning';
  const remedy = 'mend the server, or take mcp:<server> out of agents/*/agent.yaml';
  const where = `mcp.${server}`;
  if (definitions.length === 0 && problems.length === 0) return [{ level, where, what: 'it offers no tool.', remedy }];
  return problems.map((what) => ({ level, where, what, remedy }));
}
