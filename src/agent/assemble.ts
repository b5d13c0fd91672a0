/** The request for one model call: fixed system prompt and tools, the view, cache marks; checked before it can be sent. */
import { markForCache, view } from '../context/index.ts';
import { HarnessError } from '../errors.ts';
import type { ModelFacts, ModelRequest } from '../ports/model.ts';
import { findFault } from '../transcript/protocol.ts';
import type { Entry } from '../transcript/entry.ts';
import type { Message, ToolDefinition } from '../transcript/message.ts';

/** What stays the same for a whole session, byte for byte (S0.3). */
export type Fixed = {
  agent: string;
  system: string;
  tools: readonly ToolDefinition[];
  maxTokens: number;
  facts: ModelFacts;
};

export function assemble(entries: readonly Entry[], fixed: Fixed): { request: ModelRequest; epoch: string } {
  const shown = view(entries);
  return { request: requestOf(shown.messages, shown.rewrittenThrough, fixed.maxTokens, fixed), epoch: shown.epoch };
}

/** Throws `protocol_violation` instead of sending what the API would refuse. */
export function requestOf(
  messages: readonly Message[],
  rewrittenThrough: number,
  maxTokens: number,
  fixed: Fixed,
): ModelRequest {
  const { facts, agent } = fixed;
  const marked = markForCache({
    system: [{ type: 'text' as const, text: fixed.system }],
    tools: fixed.tools,
    messages,
  });
  const fault = findFault(marked.messages, {
    boundThinking: facts.boundThinking,
    prefill: false,
    rewrittenThrough,
    toolNames: fixed.tools.map((tool) => tool.name),
    marksBefore: [{ type: 'ephemeral' }, { type: 'ephemeral' }],
  });
  if (fault !== undefined) {
    throw new HarnessError(
      'protocol_violation',
      `The request of agent ${agent} was not sent: ${fault.rule} at message ${fault.index}: ${fault.message}`,
      {
        details: { agent, rule: fault.rule, index: fault.index },
      },
    );
  }
  return {
    model: facts.id,
    ...marked,
    max_tokens: Math.min(maxTokens, facts.maxOutput),
    ...(facts.thinking === undefined ? {} : { thinking: { type: facts.thinking } }),
  };
}
