/** A call that the server runs keeps its result: in the same answer, or first in the next one (docs/internals/api-rules.md §2.3). */
import type { Submission } from '../request/submission.ts';
import type { MergedTurn } from '../request/turns.ts';
import { type ApiError, type Rule, invalidRequest } from '../request/refusal.ts';
import type { ContentBlock } from '../request/shape.ts';

export const SERVER_TOOL_RULES: readonly Rule<Submission>[] = [{ id: 'server_tool_answered', check: serverPairs }];

type ServerCall = Extract<ContentBlock, { type: 'server_tool_use' }>;

/** Lists the calls of a turn that wait for their results: an answer that was paused ends with such a call. */
export function listOpenServerCalls(turn: MergedTurn | undefined): ServerCall[] {
  const open = new Map<string, ServerCall>();
  for (const { block } of turn?.role === 'assistant' ? turn.blocks : []) {
    if (block.type === 'server_tool_use') open.set(block.id, block);
    if (block.type === 'web_search_tool_result') open.delete(block.tool_use_id);
  }
  return [...open.values()];
}

function serverPairs({ turns }: Submission): ApiError | undefined {
  let open = new Map<string, ServerCall>();
  for (const turn of turns) {
    const before = open;
    open = new Map(open);
    for (const { at, block } of turn.blocks) {
      if (turn.role !== 'assistant' && block.type !== 'tool_result' && open.size > 0) return missingError(turn, open);
      if (block.type === 'server_tool_use') open.set(block.id, block);
      if (block.type === 'web_search_tool_result' && !open.delete(block.tool_use_id))
        return invalidRequest(`${at}: unexpected \`tool_use_id\` found in \`${block.type}\`: ${block.tool_use_id}`);
    }
    const late = new Map([...before].filter(([id]) => open.has(id)));
    if (turn.role === 'assistant' && late.size > 0) return missingError(turn, late);
  }
  return undefined;
}

function missingError({ at }: MergedTurn, open: ReadonlyMap<string, ServerCall>): ApiError {
  const [call] = [...open.values()];
  return invalidRequest(
    `${at}: \`${call?.name}\` tool use with id \`${call?.id}\` was found without a corresponding \`${call?.name}_tool_result\` block`,
  );
}
