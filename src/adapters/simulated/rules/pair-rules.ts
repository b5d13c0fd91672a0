/** Every call needs exactly one result, right after it and before everything else (docs/internals/api-rules.md §2.3). */
import type { Submission } from '../request/submission.ts';
import type { IndexedBlock, MergedTurn, ContentBlock } from '../request/shape.ts';
import type { Rules } from '../request/refusal.ts';

type Use = IndexedBlock & { block: Extract<ContentBlock, { type: 'tool_use' }> };
type Result = IndexedBlock & { block: Extract<ContentBlock, { type: 'tool_result' }> };

export const usesIn = (turn: MergedTurn | undefined): Use[] =>
  (turn?.blocks ?? []).filter((placed): placed is Use => placed.block.type === 'tool_use');
const resultsIn = (turn: MergedTurn | undefined): Result[] =>
  (turn?.blocks ?? []).filter((placed): placed is Result => placed.block.type === 'tool_result');

export const PAIR_RULES: Rules<Submission> = {
  tool_use_id_format: ({ turns }) => {
    const wrong = turns.flatMap(usesIn).find(({ block }) => !/^[a-zA-Z0-9_-]+$/.test(block.id));
    return wrong && `${wrong.at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
  },

  tool_use_ids_unique: ({ turns }) => {
    const uses = turns.flatMap(usesIn);
    const ids = uses.map(({ block }) => block.id);
    const again = uses.find(({ block }, index) => ids.indexOf(block.id) !== index);
    return again && `messages: \`tool_use\` ids must be unique; ${again.block.id} occurs again at ${again.at}`;
  },

  tool_results_first: ({ turns }) => {
    for (const [index, turn] of turns.entries()) {
      const other = turn.blocks.findIndex(({ block }) => block.type !== 'tool_result');
      const late = resultsIn({ ...turn, blocks: turn.blocks.slice(other) });
      const asked = turns[index - 1];
      if (asked === undefined || other === -1 || late.length === 0 || usesIn(asked).length === 0) continue;
      const ids = late.map(({ block }) => block.tool_use_id);
      return describeUnanswered(asked, ids);
    }
    return undefined;
  },

  tool_use_answered: ({ turns }) => {
    for (const [index, turn] of turns.entries()) {
      const answered = new Set(resultsIn(turns[index + 1]).map(({ block }) => block.tool_use_id));
      const open = usesIn(turn).flatMap(({ block: { id } }) => (answered.has(id) ? [] : [id]));
      if (open.length > 0) return describeUnanswered(turn, open);
    }
    return undefined;
  },

  tool_result_expected: ({ turns }) => {
    const wrong = turns.flatMap((turn, index) => {
      const asked = new Set(usesIn(turns[index - 1]).map(({ block }) => block.id));
      return resultsIn(turn).filter(({ block }) => !asked.has(block.tool_use_id));
    })[0];
    return (
      wrong &&
      `${wrong.at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${wrong.block.tool_use_id}. ` +
        'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.'
    );
  },

  tool_result_single: ({ turns }) => {
    for (const turn of turns) {
      const ids = resultsIn(turn).map(({ block }) => block.tool_use_id);
      const twice = ids.find((id, index) => ids.indexOf(id) !== index);
      if (twice !== undefined)
        return `${turn.at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`;
    }
    return undefined;
  },

  tool_error_is_text: ({ turns }) => {
    const isMore = ({ block: { is_error: failed, content } }: Result) =>
      failed === true && typeof content === 'object' && content.some(({ type }) => type !== 'text');
    const wrong = turns.flatMap(resultsIn).find(isMore);
    return wrong && `${wrong.at}.tool_result: all content must be type "text" if "is_error" is true`;
  },
};

/** The API gives this error in both cases: results that do not come first count as missing. */
function describeUnanswered({ at }: MergedTurn, ids: readonly string[]): string {
  return (
    `${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. ` +
    'Each `tool_use` block must have a corresponding `tool_result` block in the next message.'
  );
}

export const SERVER_TOOL_RULES: Rules<Submission> = {
  server_tool_answered: ({ turns }) => {
    let open = new Map<string, ServerCall>();
    for (const turn of turns) {
      const before = open;
      open = new Map(open);
      for (const { at, block } of turn.blocks) {
        const isOther = turn.role !== 'assistant' && block.type !== 'tool_result';
        if (isOther && open.size > 0) return describeMissing(turn, open);
        if (block.type === 'server_tool_use') open.set(block.id, block);
        if (block.type === 'web_search_tool_result' && !open.delete(block.tool_use_id))
          return `${at}: unexpected \`tool_use_id\` found in \`${block.type}\`: ${block.tool_use_id}`;
      }
      const late = new Map([...before].filter(([id]) => open.has(id)));
      if (turn.role === 'assistant' && late.size > 0) return describeMissing(turn, late);
    }
    return undefined;
  },
};

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

function describeMissing({ at }: MergedTurn, open: ReadonlyMap<string, ServerCall>): string {
  const [call] = [...open.values()];
  return `${at}: \`${call?.name}\` tool use with id \`${call?.id}\` was found without a corresponding \`${call?.name}_tool_result\` block`;
}
