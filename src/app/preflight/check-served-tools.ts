/** Starts each tool server of the scenario's subject before a run, and reads and sets its state, while nothing is paid yet. */
import type { Finding } from '../../config/findings.ts';
import type { Scenario } from '../../config/load-scenario.ts';
import { isHarnessError } from '../../errors.ts';
import { findLine } from '../../config/yaml-file.ts';
import type { OpenToolWorlds } from '../../ports/tools/tool-worlds.ts';

/** Contract: all servers have ended when it resolves. */
export async function checkServedTools(
  { brief, dir, text }: Pick<Scenario, 'brief' | 'dir' | 'text'>,
  open: OpenToolWorlds | undefined,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { tools } = brief;
  if (tools === undefined || open === undefined) return [];
  const remedy = 'mend its command, its reset or its state (docs/mcp.md)';
  const shown = `scenarios/${brief.name}/scenario.yaml`;
  const looked = await open(tools, dir)
    .look(signal)
    .catch((error: unknown) => {
      if (isHarnessError(error, 'config_invalid')) return error.message;
      throw error;
    });
  if (typeof looked === 'string')
    return [{ level: 'error', where: `${shown}:${findLine(text, ['tools'])}`, what: looked }];
  return looked.flatMap(({ server, problems }) => {
    const index = tools.mcp.findIndex(({ name }) => name === server);
    const where = `${shown}:${findLine(text, ['tools', 'mcp', String(index)])}`;
    return problems.map((what): Finding => ({ level: 'error', where, what, remedy }));
  });
}
