/** The call that asks for a summary: the live request with one user message more, so that it reads the cache (S0.7). */
import { fill } from '../../transcript/fill-template.ts';
import { userText } from '../../transcript/message.ts';
import { estimateMessages, estimateText } from '../../transcript/tokens.ts';
import { splitSteps } from '../../transcript/step.ts';
import type { Entry } from '../../transcript/entry.ts';
import type { Message } from '../../transcript/message.ts';
import { fieldsOf } from '../core.ts';
import type { Core } from '../core.ts';
import type { Cut } from '../plan/compaction-cut.ts';
import { entryIndex } from './entry-index.ts';
import { carryFacts } from '../facts/facts.ts';
import { shortenMessage } from '../view/shortened-message.ts';
import { emptyDraft } from '../passes/cut-draft.ts';
import { shortenLongResults } from '../passes/shorten-long-results.ts';
import { describeFields } from './summary.ts';
import { latestCompaction, liveEntries, projectEntries } from '../view/view.ts';

export type SummaryRequest = {
  /** With the same system prompt, tools and thinking as any other call. */
  messages: Message[];
  /** The output cap of this call; thinking counts (S0.8). */
  maxTokens: number;
  /** `shortened`: the live request would not have fitted the window, so long results were shortened, cache or not. */
  shape: 'live' | 'shortened';
  /** For `findFault`: messages before this index were rewritten. */
  rewrittenThrough: number;
};

/**
 * Contract: undefined when not even the shortened request fits the window, or when the cut asks for no summary: then there
 * is only `fallback`. `fault` is the
 * detail of the refusal before, when this is a repair (S0.12).
 */
export function summaryRequest(
  entries: readonly Entry[],
  core: Core,
  cut: Cut,
  fault?: string,
): SummaryRequest | undefined {
  if (cut.by === 'code') return undefined;
  const { policy, budget } = core;
  const { pressure } = cut;
  const request = requestText(entries, core, cut, { fault, index: entryIndex(entries, policy, cut) });
  const maxTokens = policy.summary.maxOutputTokens;
  const room = budget.window - maxTokens - Math.ceil(estimateText(request) * pressure.ratio);
  const { shown, rewrittenThrough } = projectEntries(entries);
  const messages = shown.map(({ message }) => message);
  const suffix = userText(request);
  if (pressure.total <= room) return { messages: [...messages, suffix], maxTokens, shape: 'live', rewrittenThrough };
  const shortened = shortenAll(entries, core);
  const smaller = messages.map((message) => shortenMessage(message, shortened));
  if ((pressure.floor + estimateMessages(smaller)) * pressure.ratio > room) return undefined;
  return { messages: [...smaller, suffix], maxTokens, shape: 'shortened', rewrittenThrough: smaller.length };
}

/** What is asked: the fields, the facts that need not be repeated, and what was wrong with the answer before. */
export function requestText(
  entries: readonly Entry[],
  core: Core,
  cut: Cut,
  { fault, index = [] }: { fault?: string | undefined; index?: readonly string[] } = {},
): string {
  const { policy, prompts } = core;
  const facts = [carryFacts(entries, policy, cut.occasion).text, ...index].join('\n');
  const asked = [fill(prompts.request, { fields: describeFields(fieldsOf(core)), facts })];
  const archived = policy.summary.archive !== undefined && latestCompaction(entries) !== undefined;
  if (archived && cut.archives.length === 0 && prompts.merge !== undefined) asked.push(fill(prompts.merge, {}));
  if (fault !== undefined) asked.push(fill(prompts.repair, { fault }));
  return asked.join('\n\n');
}

function shortenAll(entries: readonly Entry[], { policy }: Core): Record<string, string> {
  const units = splitSteps(liveEntries(entries));
  let shortened: Record<string, string> = {};
  const bench = {
    units,
    policy,
    messages: 0,
    pinned: new Set<string>(),
    spec: { pass: 'shorten-long-results' as const },
  };
  for (const { draft } of shortenLongResults(emptyDraft(), bench)) shortened = draft.shortened;
  return shortened;
}
