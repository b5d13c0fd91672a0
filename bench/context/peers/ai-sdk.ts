/** Peers that take the message shape of the AI SDK: its own `pruneMessages`, and Mastra's token limiter on the same prompt. */
import { pruneMessages } from 'ai';
import { TokenLimiterProcessor } from '@mastra/core/processors';
import { getResultText } from '../../../src/transcript/transcript-lines.ts';
import type { Block, Message } from '../../../src/transcript/message.ts';
import { thresholdOf, type OpenPeer } from '../peer.ts';

type Part = {
  type: string;
  text?: string;
  toolCallId?: string;
  toolName?: string;
  input?: unknown;
  output?: { type: 'text'; value: string };
  providerOptions?: { bench: { signature: string } };
};
type ModelMessage = { role: 'user' | 'assistant' | 'tool' | 'system'; content: Part[] };

const names = new Map<string, string>();

function toAi(messages: readonly Message[]): ModelMessage[] {
  return messages.flatMap(({ role, content }): ModelMessage[] => {
    if (role === 'assistant') return [{ role, content: content.flatMap(partOf) }];
    const results = content.filter(({ type }) => type === 'tool_result').flatMap(partOf);
    const said = content.filter(({ type }) => type === 'text').flatMap(partOf);
    return [
      ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
      ...(said.length === 0 ? [] : [{ role: 'user' as const, content: said }]),
    ];
  });
}

function partOf(block: Block): Part[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }];
    case 'thinking':
      return [{ type: 'reasoning', text: block.thinking, providerOptions: { bench: { signature: block.signature } } }];
    case 'tool_use':
      names.set(block.id, block.name);
      return [{ type: 'tool-call', toolCallId: block.id, toolName: block.name, input: block.input }];
    case 'tool_result':
      return [
        {
          type: 'tool-result',
          toolCallId: block.tool_use_id,
          toolName: names.get(block.tool_use_id) ?? 'tool',
          output: { type: 'text', value: getResultText(block) },
        },
      ];
    default:
      return [];
  }
}

function fromAi(list: readonly ModelMessage[]): Message[] {
  return list.map(({ role, content }) => ({
    role: role === 'assistant' ? 'assistant' : 'user',
    content: content.flatMap(blockOf),
  }));
}

function blockOf(part: Part): Block[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text ?? '' }];
    case 'reasoning':
      return [{ type: 'thinking', thinking: part.text ?? '', signature: part.providerOptions?.bench.signature ?? '' }];
    case 'tool-call':
      return [
        {
          type: 'tool_use',
          id: part.toolCallId ?? '',
          name: part.toolName ?? '',
          input: part.input as Record<string, unknown>,
        },
      ];
    case 'tool-result':
      return [{ type: 'tool_result', tool_use_id: part.toolCallId ?? '', content: part.output?.value ?? '' }];
    default:
      return [];
  }
}

/** It knows no budget: the settings of its documentation, before every call. */
export const openPrune: OpenPeer = async () => ({
  rewrites: 'view',
  async next(history) {
    const pruned = pruneMessages({
      messages: toAi(history) as never,
      reasoning: 'before-last-message',
      toolCalls: 'before-last-20-messages',
      emptyMessages: 'remove',
    });
    return fromAi(pruned as unknown as ModelMessage[]);
  },
});

export const openTokenLimiter: OpenPeer = async (setup) => {
  const limiter = new TokenLimiterProcessor({ limit: thresholdOf(setup) });
  return {
    rewrites: 'view',
    async next(history) {
      const prompt = toAi(history);
      const made = await limiter.processLLMRequest({ prompt } as never);
      return fromAi((made as { prompt?: ModelMessage[] } | undefined)?.prompt ?? prompt);
    },
  };
};
