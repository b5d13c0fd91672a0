/** cline: its `basic` strategy, which asks no model, through the callback that its runtime calls before each request. */
import { createContextCompactionPrepareTurn } from '@cline/core';
import type { Message } from '../../../src/transcript/message.ts';
import type { OpenPeer } from '../peer.ts';

export const openCline: OpenPeer = async ({ window }) => {
  const prepare = createContextCompactionPrepareTurn({
    providerId: 'anthropic',
    modelId: 'bench',
    apiKey: 'key',
    sessionId: 'bench',
    compaction: { enabled: true, strategy: 'basic' },
  } as never) as unknown as ((context: unknown) => Promise<{ messages: Message[] } | undefined>) | undefined;
  if (prepare === undefined) throw new Error('compaction is switched off');
  let iteration = 0;
  return {
    rewrites: 'history',
    async next(history, tokens) {
      iteration += 1;
      const made = await prepare({
        agentId: 'bench',
        conversationId: 'bench',
        parentAgentId: null,
        iteration,
        messages: [...history],
        apiMessages: [...history],
        abortSignal: new AbortController().signal,
        systemPrompt: '',
        tools: [],
        model: {
          id: 'bench',
          provider: 'anthropic',
          info: { id: 'bench', contextWindow: window, maxInputTokens: window },
        },
        previousRequestInputTokens: tokens,
      });
      return made === undefined
        ? [...history]
        : made.messages.map(({ role, content }) => ({
            role,
            content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
          }));
    },
  };
};
