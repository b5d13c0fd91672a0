/** Records an exchange: first its event, which names the entries, then the entries in the chat's transcript. */
import { HarnessError } from '../../errors.ts';
import type { ChatQuestion } from '../../ports/chat.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { exchangesOf, type Exchange } from '../../run/exchanges.ts';
import type { Entry } from '../../transcript/entry.ts';
import { transact } from '../../run-folder/transact.ts';
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

/** Of two concurrent questions the one that is answered second is second in the transcript too. */
export async function recordExchange(run: RunFolder, answered: CompletedExchange): Promise<Exchange> {
  let entries = answered.entries;
  const { after } = await transact(
    run,
    ({ events }) => {
      const taken = exchangesOf(events).map(({ entries: { last } }) => Number(last.slice(1)));
      entries = renumberAfter(answered.entries, Math.max(0, ...taken));
      return bodyOf(answered, entries);
    },
    answered.question.actor,
  );
  await run.transcripts.publish(CHAT, entries);
  const exchange = exchangesOf(after.events).at(-1);
  if (exchange === undefined) throw new HarnessError('data_corrupt', `Run ${run.id} lost the answer it recorded.`);
  return exchange;
}

function bodyOf({ question, round, files, answer, lane, usd, calls }: CompletedExchange, entries: readonly Entry[]) {
  return {
    type: 'chat.exchanged' as const,
    ...{ gate: question.gate, round, question: question.text, answer: answer.toWellFormed(), files, lane },
    entries: { first: entries[0]?.id ?? '', last: entries.at(-1)?.id ?? '' },
    ...{ calls, usd, via: question.via, nonce: question.nonce },
  };
}
