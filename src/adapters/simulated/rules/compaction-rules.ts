/** Rules for compaction by the API, and for the place of its block afterwards (docs/internals/api-rules.md §3 and §5.4). */
import { judgeCompaction, type SealedCompactionBlock } from '../request/compaction-signature.ts';
import type { Submission } from '../request/submission.ts';
import type { IndexedBlock } from '../request/turns.ts';
import { type ApiError, type Rule, invalidRequest } from '../request/refusal.ts';

export const COMPACTION_BETA = 'compact-2026-09-04';

export const COMPACTION_RULES: readonly Rule<Submission>[] = [
  { id: 'compaction_beta', check: needsBeta },
  { id: 'compaction_supported', check: checkSupport },
  { id: 'compaction_block_ambiguous', check: oneBlock },
  { id: 'compaction_block_misplaced', check: isFirstBlock },
  { id: 'compaction_block_intact', check: checkIntact },
  { id: 'compaction_incomplete_turn', check: turnComplete },
  { id: 'compaction_nothing_to_summarize', check: somethingThere },
];

type FoundCompaction = IndexedBlock & { block: SealedCompactionBlock };

function blocksIn({ turns }: Submission): FoundCompaction[] {
  return turns.flatMap(({ blocks }) =>
    blocks.filter((placed): placed is FoundCompaction => placed.block.type === 'compaction'),
  );
}

function compactionError(code: string, message: string): ApiError {
  return { ...invalidRequest(message), code };
}

function needsBeta(submission: Submission): ApiError | undefined {
  if (submission.betas.has(COMPACTION_BETA)) return undefined;
  if (asksFor(submission)) return invalidRequest('compaction: Extra inputs are not permitted');
  const [block] = blocksIn(submission);
  return (
    block &&
    invalidRequest(`${block.at}: Input tag 'compaction' found using 'type' does not match any of the expected tags`)
  );
}

function checkSupport({ model, ...submission }: Submission): ApiError | undefined {
  if (asksFor(submission) && model.efforts.length === 0)
    return invalidRequest('compaction: this model does not support compaction');
  return undefined;
}

/** `count_tokens` accepts the field, and counts the conversation as it came. */
export function asksFor({ request, endpoint }: Pick<Submission, 'request' | 'endpoint'>): boolean {
  return endpoint === 'messages' && request.compaction !== undefined && request.compaction !== null;
}

function oneBlock(submission: Submission): ApiError | undefined {
  const [, second] = blocksIn(submission).filter(({ block }) => (block.content ?? null) !== null);
  return (
    second && compactionError('compaction_block_ambiguous', `${second.at}: only one compaction block may hold content`)
  );
}

function isFirstBlock(submission: Submission): ApiError | undefined {
  const { turns } = submission;
  const [block] = blocksIn(submission);
  if (block === undefined) return undefined;
  const [first] = turns;
  const alone = first?.role === 'assistant' && first.blocks.length === 1 && first.blocks[0] === block;
  if (alone) return undefined;
  return compactionError(
    'compaction_block_misplaced',
    `${block.at}: a compaction block must be the only content of the first message`,
  );
}

function checkIntact(submission: Submission): ApiError | undefined {
  const [found] = blocksIn(submission);
  if (found === undefined) return undefined;
  if (found.block.content === '')
    return compactionError('compaction_content_mismatch', `${found.at}.content: must not be empty`);
  const judged = judgeCompaction(found.block);
  if ('fault' in judged)
    return compactionError(
      `compaction_${judged.fault}`,
      `${found.at}: the compaction block is not as it was returned (${judged.fault})`,
    );
  return undefined;
}

function turnComplete(submission: Submission): ApiError | undefined {
  if (!asksFor(submission)) return undefined;
  const last = submission.turns.at(-1);
  const open = last?.role === 'assistant' && last.blocks.some(({ block }) => block.type === 'tool_use');
  if (open)
    return compactionError(
      'compaction_incomplete_turn',
      'compaction: the conversation ends in a tool call that has no result yet',
    );
  return undefined;
}

function somethingThere(submission: Submission): ApiError | undefined {
  const others = submission.turns.filter(({ blocks }) => blocks[0]?.block.type !== 'compaction');
  if (asksFor(submission) && others.length === 0)
    return compactionError('compaction_nothing_to_summarize', 'compaction: there is nothing to summarize');
  return undefined;
}
