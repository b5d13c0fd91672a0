/** The tool-host port: a set of named tools that an agent may call. */
import type { ToolDefinition } from '../transcript/message.ts';

export type ToolAnswer = { content: string; is_error: boolean };

export interface ToolHost {
  readonly definitions: readonly ToolDefinition[];
  /** Contract: a tool that fails answers with `is_error`, it does not throw; an abort rejects with `signal.reason`. */
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<ToolAnswer>;
}
