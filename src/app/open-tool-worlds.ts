/** Opens the tool servers that a scenario names for its subject, and limits what each gets of the environment. */
import type { Env } from '../config/store.ts';
import { createConfigError } from '../errors.ts';
import type { OpenToolWorlds, ToolWorlds } from '../ports/tools/tool-worlds.ts';
import { listVariables, type WorldServer } from '../scenario/tool-servers.ts';
import type { WorldSetup } from '../adapters/mcp/tool-worlds.ts';
import { createRedactor } from './log/log.ts';
import { pickEnvironment } from './open-tool-servers.ts';

/** Contract: nothing is started, and no package loaded, before a component or a check needs a server. */
export function toolWorlds(env: Env): OpenToolWorlds {
  return ({ mcp }, dir) => {
    const open = async (): Promise<ToolWorlds> => {
      const { openToolWorlds } = await import('../adapters/mcp/tool-worlds.ts');
      return openToolWorlds(mcp.map((server) => toWorldSetup(server, { dir, env })));
    };
    return {
      look: async (signal) => (await open()).look(signal),
      serve: (inner) => ({
        kind: inner.kind,
        gaps: [
          ...inner.gaps,
          `the servers of tools ${mcp.map(({ name }) => name).join(', ')} run outside of it, as you`,
        ],
        open: async (folder) => (await open()).serve(inner).open(folder),
      }),
    };
  };
}

function toWorldSetup(server: WorldServer, { dir, env }: { dir: string; env: Env }): WorldSetup {
  const { name, command, url, reset, state } = server;
  const secrets = listVariables(server);
  const missing = secrets.filter((variable) => env[variable] === undefined);
  if (missing.length > 0)
    throw createConfigError(`The server of tools "${name}" needs ${missing.join(', ')} in the environment.`);
  if (state === undefined || (reset === undefined && state !== 'none'))
    throw createConfigError(`The server of tools "${name}" has no reset or no state.`);
  const common = {
    ...{ name, cwd: dir, env: pickEnvironment(env, server.env), reset, state },
    ...{ startMs: server.start_seconds * 1000, callMs: server.call_seconds * 1000 },
    redact: createRedactor(env, (variable) => secrets.includes(variable)),
  };
  if (command !== undefined) return { ...common, command };
  const headers = Object.entries(server.headers).map(([header, variable]) => [header, env[variable] ?? ''] as const);
  return { ...common, url: url ?? '', headers: Object.fromEntries(headers) };
}
