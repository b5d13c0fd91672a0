/** `mcp:` in the configuration: servers whose tools agents may use, each by a name. */
import { z } from 'zod';
import type { Env } from './store.ts';
import { ServerName, Variable } from '../scenario/tool-servers.ts';

const common = {
  /** Tools that may be offered, by the names that the server gives them; absent: all. */
  tools: z.array(z.string()).min(1).optional(),
  /** How long a server may take to start, and one call to be answered. */
  start_seconds: z.number().positive().max(300).default(20),
  call_seconds: z.number().positive().max(3600).default(60),
  /** The longest result of one call, in characters; the rest is cut with a notice. */
  max_result_chars: z.int().positive().max(1_000_000).default(60_000),
};

const Program = z.strictObject({
  /** Program and arguments, without a shell; it works in the project's folder. */
  command: z.array(z.string().min(1)).min(1),
  /** Variables that it gets in addition to PATH, HOME and the like. */
  env: z.array(Variable).default([]),
  ...common,
});

const Service = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  /** Header -> the environment variable that holds its whole value. */
  headers: z.record(z.string(), Variable).default({}),
  ...common,
});

export const ToolServerConfig = z.union([Program, Service]);
export type ToolServerConfig = z.infer<typeof ToolServerConfig>;

export const ToolServersConfig = z.record(ServerName, ToolServerConfig);
export type ToolServersConfig = z.infer<typeof ToolServersConfig>;

/** The variables that a server needs and `env` does not have. */
export function missingVariables(server: ToolServerConfig, env: Env): string[] {
  const names = 'command' in server ? server.env : Object.values(server.headers);
  return names.filter((name) => env[name] === undefined);
}
