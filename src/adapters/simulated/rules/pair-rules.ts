/** Every call needs exactly one result, right after it and before everything else (docs/internals/api-rules.md §2.3). */
import type { Submission } from '../request/submission.ts';
import type { IndexedBlock, MergedTurn, ContentBlock } from '../request/shape.ts';
import { type ApiError, type Rule, invalidRequest } from '../request/refusal.ts';

export const PAIR_RULES: readonly Rule<Submission>[] = [
  { id: 'tool_use_id_format', check: idFormat },
  { id: 'tool_use_ids_unique', check: idsUnique },
  { id: 'tool_results_first', check: resultsFirst },
  { id: 'tool_use_answered', check: usesAnswered },
  { id: 'tool_result_expected', check: resultsExpected },
  { id: 'tool_result_single', check: resultsSingle },
];

type Use = IndexedBlock & { block: Extract<ContentBlock, { type: 'tool_use' }> };
type Result = IndexedBlock & { block: Extract<ContentBlock, { type: 'tool_result' }> };

export const usesIn = (turn: MergedTurn | undefined): Use[] =>
  (turn?.blocks ?? []).filter((placed): placed is Use => placed.block.type === 'tool_use');
const resultsIn = (turn: MergedTurn | undefined): Result[] =>
  (turn?.blocks ?? []).filter((placed): placed is Result => placed.block.type === 'tool_result');

function idFormat({ turns }: Submission): ApiError | undefined {
  const wrong = turns.flatMap(usesIn).find(({ block }) => !/^[a-zA-Z0-9_-]+$/.test(block.id));
  if (wrong === undefined) return undefined;
  return invalidRequest(`${wrong.at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
}

function idsUnique({ turns }: Submission): ApiError | undefined {
  const seen = new Set<string>();
  for (const { at, block } of turns.flatMap(usesIn)) {
    if (seen.has(block.id))
      return invalidRequest(`messages: \`tool_use\` ids must be unique; ${block.id} occurs again at ${at}`);
    seen.add(block.id);
  }
  return undefined;
}

/** The API gives this error in both cases: results that do not come first count as missing. */
function unansweredError(turn: MergedTurn, ids: readonly string[]): ApiError {
  return invalidRequest(
    `${turn.at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. ` +
      'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  );
}

function resultsFirst({ turns }: Submission): ApiError | undefined {
  for (const [index, turn] of turns.entries()) {
    const other = turn.blocks.findIndex(({ block }) => block.type !== 'tool_result');
    const late = resultsIn({ ...turn, blocks: turn.blocks.slice(other) });
    const asked = turns[index - 1];
    if (other !== -1 && late.length > 0 && usesIn(asked).length > 0) {
      return unansweredError(
        asked ?? turn,
        late.map(({ block }) => block.tool_use_id),
      );
    }
  }
  return undefined;
}

function usesAnswered({ turns }: Submission): ApiError | undefined {
  for (const [index, turn] of turns.entries()) {
    const answered = new Set(resultsIn(turns[index + 1]).map(({ block }) => block.tool_use_id));
    const open = usesIn(turn).filter(({ block }) => !answered.has(block.id));
    if (open.length > 0)
      return unansweredError(
        turn,
        open.map(({ block }) => block.id),
      );
  }
  return undefined;
}

function resultsExpected({ turns }: Submission): ApiError | undefined {
  for (const [index, turn] of turns.entries()) {
    const asked = new Set(usesIn(turns[index - 1]).map(({ block }) => block.id));
    const wrong = resultsIn(turn).find(({ block }) => !asked.has(block.tool_use_id));
    if (wrong === undefined) continue;
    return invalidRequest(
      `${wrong.at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${wrong.block.tool_use_id}. ` +
        'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
    );
  }
  return undefined;
}

function resultsSingle({ turns }: Submission): ApiError | undefined {
  for (const turn of turns) {
    const ids = resultsIn(turn).map(({ block }) => block.tool_use_id);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice === undefined) continue;
    return invalidRequest(
      `${turn.at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`,
    );
  }
  return undefined;
}

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
