/** Records an exchange: first its event, which names the entries, then the entries in the chat's transcript. */
import { HarnessError } from '../../errors.ts';
import type { ChatQuestion } from '../../ports/chat.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { listExchanges, type Exchange } from '../../run/exchanges.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Entry } from '../../transcript/entry.ts';
import { transact } from '../../run-folder/snapshot.ts';
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
  /** Prefix of the ids of its calls. */
  ids: string;
};

/** Orders two concurrent questions in the transcript by when they are answered. */
export async function recordExchange(run: RunFolder, answered: CompletedExchange): Promise<Exchange> {
  let entries = answered.entries;
  const { after } = await transact(
    run,
    ({ events }) => {
      const taken = listExchanges(events).map(({ entries: { last } }) => Number(last.slice(1)));
      entries = renumberAfter(answered.entries, Math.max(0, ...taken));
      return toExchangeEvent(answered, entries);
    },
    answered.question.actor,
  );
  await run.transcripts.publish(CHAT, entries);
  await renumberCalls(run, answered, entries);
  const exchange = listExchanges(after.events).at(-1);
  if (exchange === undefined) throw new HarnessError('data_corrupt', `Run ${run.id} lost the answer it recorded.`);
  return exchange;
}

/** Renumbers the call records, which were written before the position of the exchange was known. */
async function renumberCalls(run: RunFolder, { ids, entries: from }: CompletedExchange, to: readonly Entry[]) {
  const names = new Map(from.map(({ id }, place) => [id, to[place]?.id ?? id]));
  if (from[0]?.id === to[0]?.id) return;
  const made = (await run.transcripts.calls(CHAT)).filter(({ id, entry }) => entry !== undefined && id.startsWith(ids));
  const moved = (id: string): string => names.get(id) ?? id;
  await run.transcripts.record(
    CHAT,
    made.map((call) => ({
      ...call,
      ...omitUndefined({ entry: call.entry && moved(call.entry), epoch: call.epoch && moved(call.epoch) }),
      rewrites: call.rewrites.map((one) =>
        'receipt' in one
          ? { ...one, entry: moved(one.entry), coversThrough: moved(one.coversThrough) }
          : { ...one, entry: moved(one.entry) },
      ),
    })),
  );
}

function toExchangeEvent(
  { question, round, files, answer, lane, usd, calls }: CompletedExchange,
  entries: readonly Entry[],
) {
  return {
    type: 'chat.exchanged' as const,
    ...{ gate: question.gate, round, question: question.text, answer: answer.toWellFormed(), files, lane },
    entries: { first: entries[0]?.id ?? '', last: entries.at(-1)?.id ?? '' },
    ...{ calls, usd, via: question.via, nonce: question.nonce },
  };
}
