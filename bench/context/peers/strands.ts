/** Strands: its summarizing conversation manager, called where its agent would run into the window, and before that. */
import {
  SummarizingConversationManager,
  Message as StrandsMessage,
  TextBlock,
  ToolUseBlock,
  ToolResultBlock,
} from '@strands-agents/sdk';
import { getResultText } from '../../../src/transcript/transcript-lines.ts';
import type { Block, Message } from '../../../src/transcript/message.ts';
import { thresholdOf, type OpenPeer } from '../peer.ts';

type Made = { role: 'user' | 'assistant'; content: { type: string; [key: string]: unknown }[] };

export const openStrands: OpenPeer = async (setup) => {
  const model = {
    async *streamAggregated(messages: Made[]) {
      const text = setup.ask(messages.map(textOf).join('\n'));
      return {
        message: new StrandsMessage({ role: 'assistant', content: [new TextBlock(text)] }),
        stopReason: 'endTurn',
      };
    },
  };
  const manager = new SummarizingConversationManager({ model: model as never });
  return {
    rewrites: 'history',
    async next(history, tokens) {
      if (tokens <= thresholdOf(setup)) return [...history];
      const messages = history.map(toStrands);
      const reduced = await manager.reduce({ agent: { messages } as never, model: model as never } as never);
      return reduced ? messages.map((one) => fromStrands(one as unknown as Made)) : [...history];
    },
  };
};

const thoughts = new Map<string, Block>();

function toStrands({ role, content }: Message): StrandsMessage {
  const parts = content.flatMap((block): unknown[] => {
    switch (block.type) {
      case 'text':
        return [new TextBlock(block.text)];
      case 'tool_use':
        return [new ToolUseBlock({ toolUseId: block.id, name: block.name, input: block.input as never })];
      case 'tool_result':
        return [
          new ToolResultBlock({
            toolUseId: block.tool_use_id,
            status: 'success',
            content: [new TextBlock(getResultText(block))],
          }),
        ];
      case 'thinking':
        thoughts.set(block.signature, block);
        return [{ type: 'reasoningBlock', text: block.thinking, signature: block.signature }];
      default:
        return [];
    }
  });
  return new StrandsMessage({ role: role === 'assistant' ? 'assistant' : 'user', content: parts as never });
}

function fromStrands({ role, content }: Made): Message {
  return {
    role,
    content: content.flatMap((part): Block[] => {
      if (part.type === 'textBlock') return [{ type: 'text', text: String(part['text']) }];
      if (part.type === 'toolUseBlock')
        return [
          {
            type: 'tool_use',
            id: String(part['toolUseId']),
            name: String(part['name']),
            input: part['input'] as Record<string, unknown>,
          },
        ];
      if (part.type === 'toolResultBlock')
        return [
          {
            type: 'tool_result',
            tool_use_id: String(part['toolUseId']),
            content: (part['content'] as { text: string }[]).map(({ text }) => text).join('\n'),
          },
        ];
      const thought = thoughts.get(String(part['signature']));
      return thought === undefined ? [] : [thought];
    }),
  };
}

function textOf({ content }: Made): string {
  return content
    .map((part) => String(part['text'] ?? JSON.stringify(part['content'] ?? part['input'] ?? '')))
    .join('\n');
}
