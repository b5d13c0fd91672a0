/** A journal in memory: it proves that the contract suite asks for nothing that only a disk can do. */
import { canonicalJson, sha256 } from '../../src/disk/sha256.ts';
import { HarnessError } from '../../src/errors.ts';
import type { Clock } from '../../src/ports/run-store.ts';
import type { Journal } from '../../src/ports/journal.ts';
import { EventBody, type RunEvent } from '../../src/run/event.ts';

export function memoryJournal(clock: Clock): Journal {
  const events: RunEvent[] = [];
  return {
    read: async (after) => structuredClone(events.slice(after === undefined ? 0 : after.seq + 1)),
    holds: async (seq) => seq < events.length,
    append: async (given, actor, expectedLength) => {
      if (events.length !== expectedLength)
        throw new HarnessError('journal_conflict', `${events.length} events are there.`);
      const body = EventBody.parse(given);
      const told = { seq: expectedLength, prev: events.at(-1)?.hash ?? '', ts: clock.now().toISOString(), actor, body };
      const event = { ...told, hash: sha256(canonicalJson(told)) };
      events.push(event);
      return event;
    },
  };
}
