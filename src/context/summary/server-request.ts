/**
 * The call that asks the API itself for the summary: exactly the messages that it is to stand for
 * (docs/api-rules.md §5.4).
 */
import { fill } from '../../transcript/fill-template.ts';
import type { Entry } from '../../transcript/entry.ts';
import type { Message } from '../../transcript/message.ts';
import { estimateMessages } from '../../transcript/tokens.ts';
import type { Core } from '../core.ts';
import type { Cut } from '../plan/compaction-cut.ts';
import { liveEntries, projectEntries } from '../view/view.ts';

export type ServerRequest = {
  messages: Message[];
  rewrittenThrough: number;
  compaction: { type: 'summarize'; instructions?: string };
  maxTokens: number;
};

/** Contract: undefined when the cut is not one that the API could take, or when what it stands for fits no request. */
export function serverRequest(entries: readonly Entry[], core: Core, cut: Cut): ServerRequest | undefined {
  if (cut.by !== 'server' || cut.keepsFrom === undefined) return undefined;
  const { shown, rewrittenThrough } = projectEntries(entries);
  const live = liveEntries(entries).map(({ id }) => id);
  const kept = new Set(live.slice(live.indexOf(cut.keepsFrom)));
  const end = shown.findIndex(({ id }) => kept.has(id));
  // An answer of which nothing could be sent may stand at the cut: then it is no place for the block.
  if (shown[end]?.message.role !== 'assistant' || shown[end - 1]?.message.role !== 'user') return undefined;
  const { prompts, policy, budget } = core;
  const messages = shown.slice(0, end).map(({ message }) => message);
  const { floor, ratio } = cut.pressure;
  const room = budget.window - policy.summary.maxOutputTokens;
  if ((floor + estimateMessages(messages)) * ratio > room) return undefined;
  const instructions = prompts.server === undefined ? {} : { instructions: fill(prompts.server, {}) };
  return {
    messages,
    rewrittenThrough: Math.min(rewrittenThrough, end),
    compaction: { type: 'summarize', ...instructions },
    maxTokens: policy.summary.maxOutputTokens,
  };
}
