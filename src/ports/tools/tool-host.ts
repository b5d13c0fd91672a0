/** The tool-host port: a set of named tools that an agent may call. */
import type { ImageBlock, ToolDefinition, ToolUseBlock } from '../../transcript/message.ts';

/** `images` follow the text in the result. */
export type ToolAnswer = { content: string; is_error: boolean; images?: readonly ImageBlock[] };

export interface ToolHost {
  readonly definitions: readonly ToolDefinition[];
  /** Names of tools whose calls do not depend on each other: those of one answer run at the same time. */
  readonly parallel?: ReadonlySet<string>;
  /** Contract: a tool that fails answers with `is_error`, it does not throw; an abort rejects with `signal.reason`. */
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<ToolAnswer>;
  /** The same, for a host that says which call it was. */
  callBlock?(block: ToolUseBlock, signal: AbortSignal): Promise<ToolAnswer>;
}

/** A folder that an agent sees under a name relative to the run. */
export type Mount = { logical: string; physical: string; writable: boolean };
