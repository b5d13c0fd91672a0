/** The tool-worlds port: servers of tools for the agent under evaluation, each with a state that is a part of the world. */
import type { ScenarioTools } from '../../scenario/tool-servers.ts';
import type { ToolDefinition } from '../../transcript/message.ts';
import type { Sandbox } from '../sandbox.ts';

/** What a server offers, and its state as it starts: an example of what the world holds under its name. */
export type InspectedServer = {
  server: string;
  tools: readonly ToolDefinition[];
  /** Absent where it could not be read, and where the server has none. */
  state?: unknown;
  /** Why it cannot be evaluated; each a sentence for a person. */
  problems: readonly string[];
};

export interface ToolWorlds {
  /** Starts each server once, reads its state, sets it to that, and ends it. Contract: never rejects for the fault of a server. */
  look(signal: AbortSignal): Promise<InspectedServer[]>;
  /**
   * The sandbox, in which `tools/<name>.mcp.json` is answered by its server. A call gets the world and leaves it as any tool does.
   * Contract: no process of a server is left when its sessions are closed; a server that cannot be reached rejects with
   * `infrastructure`, retryable, whose details name it.
   */
  serve(inner: Sandbox): Sandbox;
}

/** `dir` is the scenario's folder, in which programs are started. */
export type OpenToolWorlds = (tools: ScenarioTools, dir: string) => ToolWorlds;
