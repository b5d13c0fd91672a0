/** The call for the API's own summary: exactly the messages that the summary will replace. */
import { fillTemplate } from '../../transcript/fill-template.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Message } from '../../transcript/message.ts';
import { estimateMessages } from '../../transcript/tokens.ts';
import { toSnapshot, type EntriesOrSnapshot } from '../context-snapshot.ts';
import type { Core } from '../core.ts';
import type { Cut } from '../plan/compaction-cut.ts';

export type ServerRequest = {
  messages: Message[];
  rewrittenThrough: number;
  compaction: { type: 'summarize'; instructions?: string };
  maxTokens: number;
};

/** Contract: undefined when the API could not take the cut, or when the covered messages fit no request. */
export function serverRequest(transcript: EntriesOrSnapshot, core: Core, cut: Cut): ServerRequest | undefined {
  if (cut.by !== 'server' || cut.keepsFrom === undefined) return undefined;
  const { projection } = toSnapshot(transcript);
  const { rewrittenThrough } = projection;
  const { shown } = projection.projector;
  const live = projection.live.map(({ id }) => id);
  const retained = new Set(live.slice(live.indexOf(cut.keepsFrom)));
  const end = shown.findIndex(({ id }) => retained.has(id));
  // The answer at the cut may have no content that can be sent: then the block cannot be placed there.
  if (shown[end]?.message.role !== 'assistant' || shown[end - 1]?.message.role !== 'user') return undefined;
  const { prompts, policy, budget } = core;
  const messages = shown.slice(0, end).map(({ message }) => message);
  const { floor, ratio } = cut.pressure;
  const room = budget.window - policy.summary.maxOutputTokens;
  if ((floor + estimateMessages(messages)) * ratio > room) return undefined;
  const instructions = prompts.server === undefined ? undefined : fillTemplate(prompts.server, {});
  return {
    messages,
    rewrittenThrough: Math.min(rewrittenThrough, end),
    compaction: { type: 'summarize', ...omitUndefined({ instructions }) },
    maxTokens: policy.summary.maxOutputTokens,
  };
}
