/** Calls that the plays of a sample repeat: most of each play is the gold path, from the same world on. */
import type { JsonObject } from '../../../../scenario/json/json-value.ts';
import { callTool, narrowStage, type Stage, type ToolCall, type ToolRequest } from '../../../components/call-tool.ts';

type Calls = Map<string, Promise<ToolCall>>;

const made = new WeakMap<Stage, WeakMap<JsonObject, Calls>>();

/** As `callTool`, for proven tools. A known call leaves the very world that it left before, so the next one is known as well. */
export function callOnce(
  stage: Stage,
  { by = 'subject', ...request }: ToolRequest & { world: JsonObject; by?: 'subject' | 'user' | undefined },
  signal: AbortSignal,
): Promise<ToolCall> {
  const worlds = made.get(stage) ?? new WeakMap<JsonObject, Calls>();
  const calls: Calls = worlds.get(request.world) ?? new Map();
  const key = JSON.stringify([by, request.tool, request.args]);
  const call = calls.get(key) ?? callTool(narrowStage(stage, by), request, signal);
  made.set(stage, worlds.set(request.world, calls.set(key, call)));
  return call;
}
