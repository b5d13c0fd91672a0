/** Rules for compaction by the API, and for the place of its block afterwards (docs/internals/api-rules.md §3 and §5.4). */
import { judgeCompaction, type SealedCompactionBlock } from '../request/compaction-signature.ts';
import type { Submission } from '../request/submission.ts';
import type { IndexedBlock } from '../request/shape.ts';
import { type ApiError, type Rules, invalidRequest } from '../request/refusal.ts';

export const COMPACTION_BETA = 'compact-2026-09-04';

export const COMPACTION_RULES: Rules<Submission> = {
  compaction_beta: (submission) => {
    if (submission.betas.has(COMPACTION_BETA)) return undefined;
    if (asksFor(submission)) return 'compaction: Extra inputs are not permitted';
    const [block] = blocksIn(submission);
    return block && `${block.at}: Input tag 'compaction' found using 'type' does not match any of the expected tags`;
  },

  compaction_supported: (submission) =>
    asksFor(submission) &&
    submission.model.efforts.length === 0 &&
    'compaction: this model does not support compaction',

  compaction_block_ambiguous: (submission) => {
    const [, second] = blocksIn(submission).filter(({ block }) => (block.content ?? null) !== null);
    const message = `${second?.at}: only one compaction block may hold content`;
    return second && compactionError('compaction_block_ambiguous', message);
  },

  compaction_block_misplaced: (submission) => {
    const [block] = blocksIn(submission);
    const [first] = submission.turns;
    const isAlone = first?.role === 'assistant' && first.blocks.length === 1 && first.blocks[0] === block;
    if (block === undefined || isAlone) return undefined;
    const message = `${block.at}: a compaction block must be the only content of the first message`;
    return compactionError('compaction_block_misplaced', message);
  },

  compaction_block_intact: (submission) => {
    const [found] = blocksIn(submission);
    if (found === undefined) return undefined;
    if (found.block.content === '')
      return compactionError('compaction_content_mismatch', `${found.at}.content: must not be empty`);
    const judged = judgeCompaction(found.block);
    if (!('fault' in judged)) return undefined;
    const message = `${found.at}: the compaction block is not as it was returned (${judged.fault})`;
    return compactionError(`compaction_${judged.fault}`, message);
  },

  compaction_incomplete_turn: (submission) => {
    const last = submission.turns.at(-1);
    const isOpen = last?.role === 'assistant' && last.blocks.some(({ block }) => block.type === 'tool_use');
    const message = 'compaction: the conversation ends in a tool call that has no result yet';
    return asksFor(submission) && isOpen && compactionError('compaction_incomplete_turn', message);
  },

  compaction_nothing_to_summarize: (submission) =>
    asksFor(submission) &&
    submission.turns.every(({ blocks }) => blocks[0]?.block.type === 'compaction') &&
    compactionError('compaction_nothing_to_summarize', 'compaction: there is nothing to summarize'),
};

type FoundCompaction = IndexedBlock & { block: SealedCompactionBlock };

function blocksIn({ turns }: Submission): FoundCompaction[] {
  return turns.flatMap(({ blocks }) =>
    blocks.filter((placed): placed is FoundCompaction => placed.block.type === 'compaction'),
  );
}

function compactionError(code: string, message: string): ApiError {
  return { ...invalidRequest(message), code };
}

/** `count_tokens` accepts the field, and counts the conversation as it came. */
export function asksFor({ request, endpoint }: Pick<Submission, 'request' | 'endpoint'>): boolean {
  return endpoint === 'messages' && request.compaction !== undefined && request.compaction !== null;
}
