/**
 * The answer to a compaction request: one signed block, billed as an iteration of its own (docs/api-rules.md §5.4,
 * docs/compaction-cases.md T30).
 */
import type { InputUsage } from './cache.ts';
import { link } from './request/canonical.ts';
import { sealCompaction } from './request/compaction-signature.ts';
import type { Reply } from './reply.ts';
import type { Submission } from './request/submission.ts';
import { textTokens } from './request/tokens.ts';
import type { Turn } from './request/turns.ts';

const NOTHING: InputUsage = {
  input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
};
const LINE_CHARS = 120;
const MOST_LINES = 60;

export function buildCompaction(submission: Submission, input: InputUsage): Reply {
  const { model, prefixes, turns } = submission;
  const content = summaryOf(turns);
  const state = { head: prefixes.head, prefix: prefixes.last, lastRole: turns.at(-1)?.role ?? '' };
  const output = Math.ceil(textTokens(content, model.tokenFactor));
  return {
    id: `msg_${link(prefixes.last, ['compaction', model.id]).slice(0, 24)}`,
    model: model.id,
    content: [{ block: sealCompaction(content, state) }],
    stop: { stop_reason: 'compaction', stop_sequence: null, stop_details: null },
    usage: {
      ...NOTHING,
      output_tokens: 0,
      output_tokens_details: null,
      iterations: [{ type: 'compaction', ...input, output_tokens: output }],
    },
  };
}

/** No model writes here: messages and calls, each in one line; when there is too much, the newest stay. */
function summaryOf(turns: readonly Turn[]): string {
  const lines = turns.flatMap(({ role, blocks }) =>
    blocks.flatMap(({ block }) => {
      if (block.type === 'compaction') return (block.content ?? '').split('\n').filter((line) => line.startsWith('- '));
      if (block.type === 'text') return [`- ${role}: ${oneLine(block.text)}`];
      return block.type === 'tool_use' ? [`- called ${block.name} ${oneLine(JSON.stringify(block.input))}`] : [];
    }),
  );
  return ['Summary of the conversation so far.', ...lines.slice(-MOST_LINES)].join('\n');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, LINE_CHARS).toWellFormed();
}
