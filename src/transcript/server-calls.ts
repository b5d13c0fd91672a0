/** Calls that the server of a model runs itself: the core does not know their blocks, but never parts a call from its result. */
import type { Block } from './message.ts';

export type ServerCall = { id: string; name: string };

/** Reads a call such as `server_tool_use` or `mcp_tool_use`, or the AI SDK's call of a provider. */
export function readServerCall(block: Block): ServerCall | undefined {
  if (block.type !== 'unknown') return undefined;
  const { type, id, name, toolCallId, toolName } = block.wire;
  if (type.endsWith('_tool_use') && typeof id === 'string') return { id, name: String(name) };
  return type === 'tool-call' && typeof toolCallId === 'string'
    ? { id: toolCallId, name: String(toolName) }
    : undefined;
}

/** Returns the id of the call that a result of the server answers. */
export function readServerResult(block: Block): string | undefined {
  if (block.type !== 'unknown') return undefined;
  const { type, tool_use_id: id, toolCallId } = block.wire;
  if (type.endsWith('_tool_result') && typeof id === 'string') return id;
  return type === 'tool-result' && typeof toolCallId === 'string' ? toolCallId : undefined;
}
