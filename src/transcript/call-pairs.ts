/** Checks that every tool call has exactly one result in the next merged user turn (docs/internals/api-rules.md §2.3); finds calls of the server. */
import type { ProtocolFault, SendableMessage, Block } from './message.ts';

type MergedTurn = {
  role: SendableMessage['role'];
  index: number;
  content: { block: SendableMessage['content'][number]; index: number }[];
};

/** The ids of earlier tool calls. */
export type SeenCallIds = { has(id: string): boolean; add(id: string): unknown };

const CALL_ID = /^[a-zA-Z0-9_-]+$/;

export function toSendableId(id: string): string {
  return id.replaceAll(/[^a-zA-Z0-9_-]/g, '_') || 'call';
}

export function chooseFreeId(id: string, taken: ReadonlySet<string>): string {
  let free = id;
  for (let number = 2; taken.has(free); number += 1) free = `${id}_${number}`;
  return free;
}

/** Adds the ids of all calls to `seen`; `messages` are those from index `from` of the request on. */
export function findPairFault(
  messages: readonly SendableMessage[],
  seen: SeenCallIds = new Set<string>(),
  from = 0,
): ProtocolFault | undefined {
  const turns = mergeTurns(messages, from);
  const found = turns.map((turn, place) => {
    if (turn.role === 'assistant') return findCallFault(turn, turns[place + 1], seen);
    return turn.role === 'user' ? findResultFault(turn, turns[place - 1]) : undefined;
  });
  return found.find(Boolean);
}

/** Merges consecutive messages of one role, which are one turn to the API. */
function mergeTurns(messages: readonly SendableMessage[], from: number): MergedTurn[] {
  const turns: MergedTurn[] = [];
  for (const [place, { role, content }] of messages.entries()) {
    const index = from + place;
    const parts = content.map((block) => ({ block, index }));
    const current = turns.at(-1);
    // The API counts a compaction as a turn of its own (docs/internals/api-rules.md §5.4).
    const compacted = current?.content[0]?.block.type === 'compaction';
    if (current?.role === role && !compacted) current.content.push(...parts);
    else turns.push({ role, index, content: parts });
  }
  return turns;
}

function listCalls(turn: MergedTurn | undefined): { id: string; index: number }[] {
  if (turn?.role !== 'assistant') return [];
  return turn.content.flatMap(({ block, index }) => (block.type === 'tool_use' ? [{ id: block.id, index }] : []));
}

function findCallFault(turn: MergedTurn, next: MergedTurn | undefined, seen: SeenCallIds): ProtocolFault | undefined {
  const answered = new Set(
    next?.role === 'user'
      ? next.content.flatMap(({ block }) => (block.type === 'tool_result' ? [block.tool_use_id] : []))
      : [],
  );
  for (const { id, index } of listCalls(turn)) {
    if (!CALL_ID.test(id)) return createFault('call_id', index, `"${id}" cannot be the id of a tool call.`);
    if (seen.has(id)) return createFault('call_id_twice', index, `tool_use ids must be unique: ${id}.`);
    seen.add(id);
    if (!answered.has(id))
      return createFault('call_without_result', index, `tool_use ${id} has no tool_result after it.`);
  }
  return undefined;
}

function findResultFault(turn: MergedTurn, previous: MergedTurn | undefined): ProtocolFault | undefined {
  const open = new Set(listCalls(previous).map(({ id }) => id));
  const answered = new Set<string>();
  let past = false;
  for (const { block, index } of turn.content) {
    if (block.type !== 'tool_result') {
      past = true;
      continue;
    }
    const id = block.tool_use_id;
    if (answered.has(id)) return createFault('result_twice', index, `tool_use ${id} must have a single result.`);
    if (!open.has(id))
      return createFault('result_without_call', index, `tool_result ${id} answers no call of the turn before.`);
    if (past) return createFault('result_not_first', index, `tool_result ${id} comes after other content.`);
    answered.add(id);
  }
  return undefined;
}

export function createFault(rule: string, index: number, message: string): ProtocolFault {
  return { rule, index, message };
}

export type ServerCall = { id: string; name: string };

/** Reads a call such as `server_tool_use` or `mcp_tool_use`, or the AI SDK's call of a provider. */
export function readServerCall(block: Block): ServerCall | undefined {
  if (block.type !== 'unknown') return undefined;
  const { type, id, name, toolCallId, toolName } = block.wire;
  if (type.endsWith('_tool_use') && typeof id === 'string') return { id, name: String(name) };
  if (type === 'tool-call' && typeof toolCallId === 'string') return { id: toolCallId, name: String(toolName) };
  return undefined;
}

/** Returns the id of the call that a result of the server answers. */
export function readServerResult(block: Block): string | undefined {
  if (block.type !== 'unknown') return undefined;
  const { type, tool_use_id: id, toolCallId } = block.wire;
  if (type.endsWith('_tool_result') && typeof id === 'string') return id;
  return type === 'tool-result' && typeof toolCallId === 'string' ? toolCallId : undefined;
}
