/** A subject behind an HTTP endpoint: each turn posts the whole conversation, so the endpoint needs no state. */
import type { SubjectInput, HttpSubjectOptions, SubjectHost, SubjectTurn } from '../../ports/subject.ts';
import { postTurn, readHeaderValues } from './post-turn.ts';
import { stoppedTurn, parseTurn } from './subject-answer.ts';

type SentTurn = { type: 'subject'; say: string; calls: SubjectTurn['calls'] };

/** Throws `config_invalid` at once when a needed environment variable is not set. */
export function httpSubject({ url, headers }: HttpSubjectOptions): SubjectHost {
  const sent = { 'content-type': 'application/json', ...readHeaderValues(headers) };
  return {
    open: async ({ prompt, tools, onExchange }) => {
      const conversation: (SubjectInput | SentTurn)[] = [];
      let turns = 0;
      return {
        async next(input, leftMs, signal) {
          if (input !== undefined) conversation.push(input);
          turns += 1;
          const body = JSON.stringify({ version: 1, prompt, tools, conversation });
          const late = AbortSignal.timeout(Math.max(1, Math.ceil(leftMs)));
          const reply = await postTurn(url, { headers: sent, body, onExchange }, AbortSignal.any([signal, late]));
          signal.throwIfAborted();
          if (late.aborted) return stoppedTurn('seconds', 'the endpoint did not answer in time');
          if (!reply.ok) return stoppedTurn(reply.stop, reply.detail);
          const turn = parseTurn(reply.text, turns);
          conversation.push({ type: 'subject', say: turn.says, calls: turn.calls });
          return turn;
        },
        close: () => Promise.resolve(),
      };
    },
  };
}
