/** Opens the tool servers that the configuration names, and the tools of plugins, and limits what each gets of the environment. */
import type { Env } from '../config/store.ts';
import type { Home } from '../config/home.ts';
import { findPlugin, loadPlugins } from '../config/load-plugins.ts';
import { missingVariables, type ToolServerConfig, type ToolServersConfig } from '../config/tool-servers.ts';
import { HarnessError } from '../errors.ts';
import { createRedactor } from './log/log.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { PLUGIN_PREFIX } from '../ports/plugins/plugins.ts';
import type { OpenToolServers, ToolServers } from '../ports/tools/tool-servers.ts';
import type { ServerSetup } from '../adapters/mcp/open-tool-servers.ts';

/** Variables that every program needs to run; a server gets no others unless they are named. */
const ALWAYS = ['PATH', 'HOME', 'LANG', 'USER', 'SHELL', 'TMPDIR'];

/** Contract: nothing is started, and no package loaded, before an agent that names a server begins. */
export function toolServers(home: Home, servers: ToolServersConfig, env: Env): ToolServers {
  return {
    async open(names, signal) {
      const plugins = await pluginTools(home, names);
      const rest = names.filter((name) => !name.startsWith(PLUGIN_PREFIX));
      if (rest.length === 0) return plugins;
      const setups = Object.entries(servers)
        .filter(([name]) => names.includes(name))
        .map(([name, server]) => toServerSetup(name, server, { home, env }));
      const { openToolServers } = await import('../adapters/mcp/open-tool-servers.ts');
      const opened = await openToolServers(setups).open(rest, signal);
      return plugins.offered.length === 0 ? opened : mergeToolServers(plugins, opened);
    },
  };
}

/** Loads no code of the project for agents that name no plugin. */
async function pluginTools(home: Home, names: readonly string[]): Promise<OpenToolServers> {
  const named = names.filter((name) => name.startsWith(PLUGIN_PREFIX)).map((name) => name.slice(PLUGIN_PREFIX.length));
  const { openPluginTools } = await import('../adapters/plugins/plugin-tools.ts');
  if (named.length === 0) return openPluginTools([]);
  const plugins = await loadPlugins(home);
  return openPluginTools(
    named.map((name) => ({
      name,
      tool: findPlugin(plugins, { kind: 'tools', name }, 'agents/*/agent.yaml: tools'),
      fault: (error) => plugins.fault('tools', name, error),
    })),
  );
}

function mergeToolServers(plugins: OpenToolServers, servers: OpenToolServers): OpenToolServers {
  const isPlugin = (name: string): boolean => plugins.host.definitions.some((tool) => tool.name === name);
  return {
    offered: [...plugins.offered, ...servers.offered],
    host: {
      definitions: [...plugins.host.definitions, ...servers.host.definitions],
      call: (name, input, signal) => (isPlugin(name) ? plugins : servers).host.call(name, input, signal),
    },
    close: () => servers.close(),
  };
}

function toServerSetup(name: string, server: ToolServerConfig, { home, env }: { home: Home; env: Env }): ServerSetup {
  const missing = missingVariables(server, env);
  if (missing.length > 0)
    throw new HarnessError('config_invalid', `mcp.${name} needs ${missing.join(', ')} in the environment.`);
  const secrets = 'command' in server ? server.env : Object.values(server.headers);
  const common = {
    name,
    startMs: server.start_seconds * 1000,
    callMs: server.call_seconds * 1000,
    maxChars: server.max_result_chars,
    redact: createRedactor(env, (variable) => secrets.includes(variable)),
    ...omitUndefined({ allowed: server.tools }),
  };
  if ('command' in server)
    return { ...common, command: server.command, cwd: home.project, env: pickEnvironment(env, server.env) };
  const headers = Object.entries(server.headers).map(([header, variable]) => [header, env[variable] ?? ''] as const);
  return { ...common, url: server.url, headers: Object.fromEntries(headers) };
}

/** Returns the environment of a user's program: the variables named for it, and those that every program needs. */
export function pickEnvironment(env: Env, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    [...ALWAYS, ...names].flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}
