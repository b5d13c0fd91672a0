/** Records an exchange, first its event and then the entries in the chat's transcript, and reads exchanges for a fork. */
import { HarnessError } from '../../errors.ts';
import type { ChatQuestion } from '../../ports/chat.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { listExchanges, type Exchange } from '../../run/exchanges.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { getEntryNumber, type Entry } from '../../transcript/entry.ts';
import { transact } from '../../run-folder/snapshot.ts';
import { CHAT, renumberAfter } from './conversation.ts';
import type { RunEvent } from '../../run/event.ts';
import { getText } from '../../transcript/message.ts';

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

/** Returns the entries of these events' exchanges, and of no later ones. */
export async function readExchangeEntries(run: RunFolder, events: readonly RunEvent[]): Promise<Entry[]> {
  const exchanges = listExchanges(events);
  if (exchanges.length === 0) return [];
  const entries = await run.transcripts.read(CHAT);
  return entries.filter((entry) => exchanges.some((exchange) => isInExchange(entry, exchange)));
}

function isInExchange({ id }: Entry, { entries: { first, last } }: Exchange): boolean {
  const number = getEntryNumber({ id });
  return number >= getEntryNumber({ id: first }) && number <= getEntryNumber({ id: last });
}

/** Contract: throws when the transcript lacks an exchange or has another answer for it. */
export async function checkExchanges(run: RunFolder, events: readonly RunEvent[]): Promise<string> {
  const exchanges = listExchanges(events);
  const entries = await readExchangeEntries(run, events);
  for (const exchange of exchanges) {
    const last = entries.find(({ id }) => id === exchange.entries.last);
    const text = last?.type === 'message' ? getText(last.message).toWellFormed() : undefined;
    if (text !== exchange.answer)
      throw new Error(`${exchange.entries.last} is not the answer that event ${exchange.seq} tells of.`);
  }
  return `${exchanges.length} exchanges, ${entries.length} entries, answered as the journal tells`;
}
