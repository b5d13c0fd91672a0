/** The call that asks for a summary: the live request with one user message more, so that it reads the cache (S0.7). */
import { fill } from '../transcript/fill.ts';
import { userText } from '../transcript/message.ts';
import { estimateMessages, estimateText } from '../transcript/tokens.ts';
import { splitSteps } from '../transcript/step.ts';
import type { Entry } from '../transcript/entry.ts';
import type { Message } from '../transcript/message.ts';
import type { Core } from './core.ts';
import { carryFacts } from './facts.ts';
import { asKept } from './kept.ts';
import { shortenLongResults } from './passes/shorten-long-results.ts';
import type { Cut } from './plan.ts';
import { describeFields } from './summary.ts';
import { liveEntries, projectEntries } from './view.ts';

export type SummaryRequest = {
  /** With the same system prompt, tools and thinking as any other call. */
  messages: Message[];
  /** The output cap of this call; thinking counts (S0.8). */
  maxTokens: number;
  /** `shortened`: the live request would not have fitted the window, so long results were shortened, cache or not (T23). */
  shape: 'live' | 'shortened';
  /** For `findFault`: messages before this index were rewritten. */
  rewrittenThrough: number;
};

/**
 * Contract: undefined when not even the shortened request fits the window: then there is only `fallback`. `fault` is the
 * detail of the refusal before, when this is a repair (S0.12).
 */
export function summaryRequest(
  entries: readonly Entry[],
  core: Core,
  cut: Cut,
  fault?: string,
): SummaryRequest | undefined {
  const { policy, budget } = core;
  const { pressure } = cut;
  const request = requestText(entries, core, cut, fault);
  const maxTokens = policy.summary.maxOutputTokens;
  const room = budget.window - maxTokens - Math.ceil(estimateText(request) * pressure.ratio);
  const { shown, rewrittenThrough } = projectEntries(entries);
  const messages = shown.map(({ message }) => message);
  const suffix = userText(request);
  if (pressure.total <= room) return { messages: [...messages, suffix], maxTokens, shape: 'live', rewrittenThrough };
  const shortened = shortenAll(entries, core);
  const smaller = messages.map((message) => asKept(message, shortened));
  if ((budget.floor + estimateMessages(smaller)) * pressure.ratio > room) return undefined;
  return { messages: [...smaller, suffix], maxTokens, shape: 'shortened', rewrittenThrough: smaller.length };
}

function requestText(entries: readonly Entry[], core: Core, { occasion }: Cut, fault: string | undefined): string {
  const { policy, prompts, fields } = core;
  const facts = carryFacts(entries, policy, occasion).text;
  const request = fill(prompts.request, { fields: describeFields(fields), facts });
  return fault === undefined ? request : `${request}\n\n${fill(prompts.repair, { fault })}`;
}

function shortenAll(entries: readonly Entry[], { policy }: Core): Record<string, string> {
  const units = splitSteps(liveEntries(entries));
  let shortened: Record<string, string> = {};
  for (const { draft } of shortenLongResults({ keepFrom: 0, shortened }, { units, policy }))
    shortened = draft.shortened;
  return shortened;
}
