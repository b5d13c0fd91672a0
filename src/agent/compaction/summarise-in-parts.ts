/** A summary made from the conversation written out as lines, part by part: each call is shown what the one before found. */
import { chunksOf, readPart, type Cut } from '../../context/index.ts';
import { textOf } from '../../transcript/message.ts';
import { requestOf, type FixedRequestParts } from '../build-request.ts';
import type { AgentSession } from '../session.ts';
import { callSummaryModel, type ModelCallResult, type CompactionContext } from './summary-call.ts';

/** The last part's answer, or the first failure; undefined when not even parts can be made. */
export async function summariseInParts(
  session: AgentSession,
  cut: Cut,
  fault: string | undefined,
  compacting: CompactionContext,
  signal: AbortSignal,
): Promise<ModelCallResult | undefined> {
  const { core, fixed, model, summarizer } = compacting;
  const chunks = chunksOf(session.entries, core, cut, summarizer?.facts.window);
  if (chunks === undefined) return undefined;
  // Nothing of the conversation is sent as it was, so neither tools nor the agent's model are needed.
  const alone: FixedRequestParts = { ...fixed, tools: [], facts: summarizer?.facts ?? fixed.facts };
  let before: string | undefined;
  for (let part = 0; ; part += 1) {
    const { messages, maxTokens } = chunks.request(part, before, fault);
    const request = requestOf({ messages, system: [], rewrittenThrough: 0 }, maxTokens, alone);
    const answered = await callSummaryModel(request, summarizer?.model ?? model, compacting, signal);
    if (!answered.ok || part === chunks.parts - 1) return answered;
    before = readPart(textOf(answered.response), core);
    if (before === undefined)
      return { ok: false, cause: 'schema', detail: `part ${part + 1} of ${chunks.parts} gave no summary` };
  }
}
