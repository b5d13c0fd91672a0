/** Summary calls of a replay: their requests, cache reads and cost. */
import { textOf, type Message, addUsage } from '../../transcript/message.ts';
import { estimateMessages } from '../../transcript/tokens.ts';
import type { Answer } from '../../context/summary/accept.ts';
import { readPart, type Chunks } from '../../context/summary/chunks.ts';
import { fieldsOf } from '../../context/core.ts';
import type { IncrementalView } from '../../context/view/incremental-view.ts';
import type { PromptCache } from './cache.ts';
import type { FactRecall } from './fact-recall.ts';
import type { ReplayOptions, Rewrite } from './options.ts';
import type { SummaryFailure } from './summariser.ts';

export type SummaryCaller = {
  options: ReplayOptions;
  follower: IncrementalView;
  cache: PromptCache;
  memory: FactRecall;
  nowMs: number;
  rewrite: Rewrite;
};

/** Every call is booked to the rewrite, whether its answer is taken or not. */
export function askOnce(
  asker: SummaryCaller,
  messages: readonly Message[],
  form: 'text' | 'server',
): Answer | SummaryFailure {
  const { options, cache, memory, nowMs, rewrite } = asker;
  const answer = options.summariser({ messages, form }, memory.known(), fieldsOf(options.core));
  if ('cause' in answer) return answer;
  const output = Math.round(Math.max(answer.usage.output_tokens, estimateMessages([answer])) * options.ratio);
  const usage = { ...cache.send(messages, nowMs, 'aside').usage, output_tokens: output };
  rewrite.usage = addUsage(rewrite.usage, usage);
  rewrite.cost += options.priceOf(usage);
  return { ...answer, usage };
}

/** Undefined when the answer for a part cannot be read; the answer of the last part is the summary. */
export function askInParts(
  asker: SummaryCaller,
  chunks: Chunks,
  fault: string | undefined,
): Answer | SummaryFailure | undefined {
  let before: string | undefined;
  for (let part = 0; part < chunks.parts; part += 1) {
    const answer = askOnce(asker, chunks.request(part, before, fault).messages, 'text');
    if ('cause' in answer || part === chunks.parts - 1) return answer;
    before = readPart(textOf(answer), asker.options.core);
    if (before === undefined) return undefined;
  }
  return undefined;
}
