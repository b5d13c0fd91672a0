/** An exchange goes on record: its event first, which names where it stands, then its entries in the chat's transcript. */
import { HarnessError, isHarnessError } from '../../errors.ts';
import type { ChatQuestion } from '../../ports/chat.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { exchangesOf, type Exchange } from '../../run/exchanges.ts';
import { fold } from '../../run/fold.ts';
import type { Entry } from '../../transcript/entry.ts';
import { appendEvent } from '../../run-folder/append-event.ts';
import { CHAT, renumberAfter } from './conversation.ts';

export type CompletedExchange = {
  question: ChatQuestion;
  round: number;
  files: string[];
  answer: string;
  lane: string;
  entries: readonly Entry[];
  usd: number;
  calls: number;
};

const MAX_RACES = 20;

/** Two people may ask at once: whoever is answered second stands behind the first in the transcript too. */
export async function recordExchange(run: RunFolder, answered: CompletedExchange): Promise<Exchange> {
  for (let race = 0; race < MAX_RACES; race += 1) {
    const events = await run.journal.read();
    const taken = exchangesOf(events).map(({ entries: { last } }) => Number(last.slice(1)));
    const entries = renumberAfter(answered.entries, Math.max(0, ...taken));
    const body = bodyOf(answered, entries);
    try {
      const { seq, ts } = await appendEvent(run, fold(events), body, answered.question.actor);
      await run.transcripts.publish(CHAT, entries);
      const { type: _type, ...told } = body;
      return { ...told, seq, actor: answered.question.actor, at: ts };
    } catch (error) {
      if (!isHarnessError(error, 'journal_conflict')) throw error;
    }
  }
  throw new HarnessError('journal_conflict', `Run ${run.id} changes too fast to record the answer; ask again.`, {
    retryable: true,
  });
}

function bodyOf({ question, round, files, answer, lane, usd, calls }: CompletedExchange, entries: readonly Entry[]) {
  return {
    type: 'chat.exchanged' as const,
    ...{ gate: question.gate, round, question: question.text, answer: answer.toWellFormed(), files, lane },
    entries: { first: entries[0]?.id ?? '', last: entries.at(-1)?.id ?? '' },
    ...{ calls, usd, via: question.via, nonce: question.nonce },
  };
}
