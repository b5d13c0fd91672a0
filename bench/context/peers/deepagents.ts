/** deepagents: its summarization middleware with the defaults that it computes for a model of this window. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSummarizationMiddleware, FilesystemBackend } from 'deepagents';
import type { BaseMessage } from '@langchain/core/messages';
import type { OpenPeer } from '../peer.ts';
import { AskModel, fromLangChain, toLangChain } from './lc-messages.ts';

export const openDeepagents: OpenPeer = async ({ ask, window }) => {
  const model = new AskModel(ask, window);
  const backend = new FilesystemBackend({
    rootDir: mkdtempSync(join(tmpdir(), 'bench-deepagents-')),
    virtualMode: true,
  });
  const middleware = createSummarizationMiddleware({ model: model as never, backend: backend as never });
  const wrap = middleware.wrapModelCall as unknown as (
    request: unknown,
    handler: (request: { messages: BaseMessage[] }) => Promise<unknown>,
  ) => Promise<unknown>;
  let state: Record<string, unknown> = {};
  return {
    rewrites: 'view',
    async next(history) {
      const messages = toLangChain(history);
      let sent: BaseMessage[] = messages;
      const answer = await wrap(
        { messages, state: { ...state, messages }, model, tools: [], runtime: { context: {} } },
        async (request) => {
          sent = request.messages;
          const { AIMessage } = await import('@langchain/core/messages');
          return new AIMessage('ok');
        },
      );
      const update = (answer as { update?: Record<string, unknown> } | undefined)?.update;
      if (update !== undefined) state = { ...state, ...update };
      return fromLangChain(sent);
    },
  };
};
