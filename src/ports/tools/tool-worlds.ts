/** The tool-worlds port: tool servers for the agent under evaluation, each with a state that is part of the world. */
import type { ToolDefinition } from '../../transcript/message.ts';
import type { ScenarioTools } from '../../scenario/tool-servers.ts';
import type { Sandbox } from '../sandbox.ts';

/** The tools of a server and its initial state, an example of what the world holds under its name. */
export type InspectedServer = {
  server: string;
  tools: readonly ToolDefinition[];
  /** Absent where the state could not be read or the server has none. */
  state?: unknown;
  /** Sentences for a person why the server cannot be evaluated. */
  problems: readonly string[];
};

export interface ToolWorlds {
  /** Starts each server once, reads its state, sets it to that, and ends it. Contract: never rejects for the fault of a server. */
  look(signal: AbortSignal): Promise<InspectedServer[]>;
  /**
   * Returns a sandbox in which `tools/<name>.mcp.json` is answered by its server. A call takes and leaves the world as
   * any tool does. Contract: no process of a server is left when its sessions are closed; a server that cannot be
   * reached rejects with `infrastructure`, retryable, whose details name it.
   */
  serve(inner: Sandbox): Sandbox;
}

/** `dir` is the scenario's folder, in which programs are started. */
export type OpenToolWorlds = (tools: ScenarioTools, dir: string) => ToolWorlds;
