/** Reads the exchanges of a run from its transcript, for a fork to copy and to compare with the journal. */
import type { RunFolder } from '../../ports/run-store.ts';
import type { RunEvent } from '../../run/event.ts';
import { listExchanges, type Exchange } from '../../run/exchanges.ts';
import type { Entry } from '../../transcript/entry.ts';
import { getText } from '../../transcript/message.ts';
import { CHAT } from './conversation.ts';

const parseEntryNumber = (id: string): number => Number(id.slice(1));

/** Returns the entries of these events' exchanges, and of no later ones. */
export async function readExchangeEntries(run: RunFolder, events: readonly RunEvent[]): Promise<Entry[]> {
  const exchanges = listExchanges(events);
  if (exchanges.length === 0) return [];
  const entries = await run.transcripts.read(CHAT);
  return entries.filter((entry) => exchanges.some((exchange) => isInExchange(entry, exchange)));
}

function isInExchange({ id }: Entry, { entries: { first, last } }: Exchange): boolean {
  return parseEntryNumber(id) >= parseEntryNumber(first) && parseEntryNumber(id) <= parseEntryNumber(last);
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
