/** LangChain: the summarization middleware with its own defaults, and `trimMessages`. */
import { trimMessages, type BaseMessage } from '@langchain/core/messages';
import { countTokensApproximately, summarizationMiddleware } from 'langchain';
import { thresholdOf, type OpenPeer } from '../peer.ts';
import { AskModel, fromLangChain, toLangChain } from './lc-messages.ts';

export const openSummarization: OpenPeer = async (setup) => {
  const model = new AskModel(setup.ask, setup.window);
  const middleware = summarizationMiddleware({ model, trigger: { tokens: thresholdOf(setup) } } as never);
  const before = middleware.beforeModel as unknown as (
    state: unknown,
    runtime: unknown,
  ) => Promise<{ messages: BaseMessage[] } | undefined>;
  return {
    rewrites: 'history',
    async next(history) {
      const messages = toLangChain(history);
      const made = await before({ messages }, { context: {} });
      return made === undefined ? [...history] : fromLangChain(made.messages.slice(1));
    },
  };
};

export const openTrim: OpenPeer = async (setup) => ({
  rewrites: 'view',
  async next(history) {
    const messages = toLangChain(history);
    const kept = await trimMessages(messages, {
      maxTokens: thresholdOf(setup),
      strategy: 'last',
      tokenCounter: (list: BaseMessage[]) => countTokensApproximately(list),
      includeSystem: true,
      startOn: ['human', 'ai'],
    });
    return fromLangChain(kept);
  },
});
