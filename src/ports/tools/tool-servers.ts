/** The tool-servers port: programs and services of a user's own that offer tools to agents (Model Context Protocol). */
import type { ToolDefinition } from '../../transcript/message.ts';
import type { ToolHost } from './tool-host.ts';

/** How an agent's definition names a server among its tools: `mcp:<server>`. */
export const SERVER_PREFIX = 'mcp:';

/** What a server offers, under the names that a model calls. */
export type OfferedTools = {
  server: string;
  definitions: readonly ToolDefinition[];
  /** What of it cannot be offered, and why: each a sentence for a person. Empty `definitions` with a problem: it does not answer. */
  problems: readonly string[];
};

export interface OpenToolServers {
  /** Contract: one for each name, in order; never rejects for the fault of a server. */
  readonly offered: readonly OfferedTools[];
  /** Calls go to the server of the name; one that died is started again for the next call. */
  readonly host: ToolHost;
  /** Contract: no process of a server is left when resolved. */
  close(): Promise<void>;
}

export interface ToolServers {
  /** Starts each server once; a name that the configuration does not have is `config_invalid`. */
  open(names: readonly string[], signal: AbortSignal): Promise<OpenToolServers>;
}
