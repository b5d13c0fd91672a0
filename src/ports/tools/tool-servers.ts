/** The tool-servers port: a user's own programs and services that offer tools to agents (Model Context Protocol). */
import type { ToolDefinition } from '../../transcript/message.ts';
import type { ToolHost } from './tool-host.ts';

/** Prefix with which an agent's definition names a server among its tools: `mcp:<server>`. */
export const SERVER_PREFIX = 'mcp:';

/** The tools that a server offers, under the names that a model calls. */
export type OfferedTools = {
  server: string;
  definitions: readonly ToolDefinition[];
  /** Sentences for a person about tools that cannot be offered. Empty `definitions` with a problem: the server does not answer. */
  problems: readonly string[];
};

export interface OpenToolServers {
  /** Contract: one for each name, in order; never rejects for the fault of a server. */
  readonly offered: readonly OfferedTools[];
  /** Sends each call to the tool's server; a server that died is started again for the next call. */
  readonly host: ToolHost;
  /** Contract: no process of a server is left when resolved. */
  close(): Promise<void>;
}

export interface ToolServers {
  /** Starts each server once; a name that the configuration does not have is `config_invalid`. */
  open(names: readonly string[], signal: AbortSignal): Promise<OpenToolServers>;
}
