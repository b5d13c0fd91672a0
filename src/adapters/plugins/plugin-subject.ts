/** A subject that a plugin implements: it runs in this process, and its answers are checked like those of a program. */
import { describeError } from '../../errors.ts';
import {
  callWithin,
  type PluginConversation,
  type PluginOptions,
  type PluginSubject,
} from '../../ports/plugins/plugins.ts';
import type { Conversation, ConversationStart, SubjectHost, SubjectTurn } from '../../ports/subject.ts';
import { stoppedTurn, parseTurn } from '../subjects/subject-answer.ts';

export type PluginSubjectSetup = {
  open: PluginSubject;
  options: PluginOptions;
  /** Wraps a thrown value in an error that names the plugin and its location. */
  fault: (error: unknown) => Error;
};

/** An error of the plugin says nothing about its agent: the trial is unscored, and the reason names the plugin. */
export function pluginSubject({ open, options, fault }: PluginSubjectSetup): SubjectHost {
  return {
    open: async (start) => {
      try {
        const { onExchange, ...shown } = start;
        return createConversation(await open(structuredClone(shown), options), fault, onExchange);
      } catch (error) {
        const detail = describeError(fault(error));
        return { next: async () => stoppedTurn('infrastructure', detail), close: async () => undefined };
      }
    },
  };
}

function createConversation(
  talk: PluginConversation,
  fault: PluginSubjectSetup['fault'],
  onExchange: ConversationStart['onExchange'],
): Conversation {
  let turns = 0;
  return {
    async next(input, leftMs, signal): Promise<SubjectTurn> {
      signal.throwIfAborted();
      turns += 1;
      const late = AbortSignal.timeout(Math.max(1, Math.ceil(leftMs)));
      const within = AbortSignal.any([signal, late]);
      try {
        const answer = await callWithin(within, () =>
          talk.answer(structuredClone(input) ?? { type: 'continue' }, within),
        );
        const text = JSON.stringify(answer) ?? 'nothing';
        onExchange?.({ request: JSON.stringify(input ?? { type: 'continue' }), answer: Buffer.from(text) });
        return parseTurn(text, turns);
      } catch (error) {
        signal.throwIfAborted();
        if (late.aborted) return stoppedTurn('seconds', 'the plugin did not answer in time');
        return stoppedTurn('infrastructure', describeError(fault(error)));
      }
    },
    async close() {
      try {
        await talk.close?.();
      } catch {
        // The trial is over, so its verdict does not depend on later errors.
      }
    },
  };
}
