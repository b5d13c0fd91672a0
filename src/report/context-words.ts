/** Names and signs of what stands in a context, the same in terminal and page. */
import type { BlockKind } from '../context/picture.ts';
import type { HistoryCompaction } from '../context/picture-history.ts';
import { count, tokens } from './figures.ts';
import type { Style } from './paint.ts';

export const KIND_WORDS: Readonly<Record<BlockKind, { name: string; sign: string; style: Style }>> = {
  facts: { name: 'carried facts', sign: '▓', style: 'good' },
  summary: { name: 'summary', sign: '▒', style: 'design' },
  said: { name: 'said to it', sign: '█', style: 'warn' },
  answer: { name: 'answers', sign: '█', style: 'accent' },
  thinking: { name: 'thinking', sign: '░', style: 'dim' },
  call: { name: 'calls', sign: '▄', style: 'accent' },
  result: { name: 'results', sign: '█', style: 'bold' },
  image: { name: 'images', sign: '▚', style: 'bad' },
};

/** What one compaction did and cost, in a sentence. */
export function receiptText({ coversThrough, receipt }: HistoryCompaction): string {
  const { tokensBefore, tokensAfter, stepsSummarised, stepsKept, usage, cacheTokensLost, reason } = receipt;
  const gone = tokensBefore > 0 ? ` (−${Math.round((1 - tokensAfter / tokensBefore) * 100)} %)` : '';
  const asked =
    usage === undefined
      ? 'no model was asked'
      : `summary call: ${tokens(usage.cache_read_input_tokens)} read, ` +
        `${tokens(usage.input_tokens + usage.cache_creation_input_tokens)} not cached, ${tokens(usage.output_tokens)} out`;
  return [
    `${reason}: ${tokens(tokensBefore)} → ${tokens(tokensAfter)}${gone}`,
    `${count(stepsSummarised, 'step')} summarised through ${coversThrough}, ${stepsKept} kept`,
    asked,
    `${tokens(cacheTokensLost)} cached tokens given up`,
  ].join(' · ');
}
