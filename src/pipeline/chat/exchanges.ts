/** The exchanges of a run as its transcript holds them: taken along by a fork, and held against the journal. */
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunEvent } from '../../run/event.ts';
import { exchangesOf, type Exchange } from '../../run/exchanges.ts';
import type { Entry } from '../../transcript/entry.ts';
import { textOf } from '../../transcript/message.ts';
import { CHAT } from './conversation.ts';

const numberOf = (id: string): number => Number(id.slice(1));

/** The entries of these events' exchanges, and of no later ones. */
export async function exchangeEntries(run: RunFolder, events: readonly RunEvent[]): Promise<Entry[]> {
  const exchanges = exchangesOf(events);
  if (exchanges.length === 0) return [];
  const entries = await run.transcripts.read(CHAT);
  return entries.filter((entry) => exchanges.some((exchange) => isPartOf(entry, exchange)));
}

function isPartOf({ id }: Entry, { entries: { first, last } }: Exchange): boolean {
  return numberOf(id) >= numberOf(first) && numberOf(id) <= numberOf(last);
}

/** Contract: throws when the transcript lacks an exchange or has another answer for it. */
export async function checkExchanges(run: RunFolder, events: readonly RunEvent[]): Promise<string> {
  const exchanges = exchangesOf(events);
  const entries = await exchangeEntries(run, events);
  for (const exchange of exchanges) {
    const last = entries.find(({ id }) => id === exchange.entries.last);
    const text = last?.type === 'message' ? textOf(last.message).toWellFormed() : undefined;
    if (text !== exchange.answer)
      throw new Error(`${exchange.entries.last} is not the answer that event ${exchange.seq} tells of.`);
  }
  return `${exchanges.length} exchanges, ${entries.length} entries, answered as the journal tells`;
}
