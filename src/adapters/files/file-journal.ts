/** The journal on disk: one event a file, created once, each holding the hash of the one before. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal.ts';
import { EventBody, RunEvent } from '../../run/event.ts';
import { createExclusive, sweepTemporary, type Link } from '../../disk/atomic-write.ts';
import { canonicalJson } from '../../disk/canonical-json.ts';
import { makeFolders } from '../../disk/confine.ts';
import { onDisk, valueOnErrno } from '../../disk/disk-fault.ts';
import { numberedName, readNumbered } from '../../disk/numbered-files.ts';
import { parseFile } from '../../disk/parse-file.ts';
import { sha256 } from '../../disk/sha256.ts';

/** `prev` of the first event. */
export const NO_HASH = '';

export type FileJournalOptions = { clock: Clock; link?: Link };

/** The journal of the run folder `runDir`, in its `events/`. */
export function openFileJournal(runDir: string, { clock, link }: FileJournalOptions): Journal {
  const folder = join(runDir, 'events');
  let swept = false;

  return {
    read: () => onDisk(`Reading the journal of ${runDir}`, () => readChain(folder)),
    holds: (seq) =>
      onDisk(`Looking at the journal of ${runDir}`, async () => {
        const found = await valueOnErrno('ENOENT', undefined, stat(join(folder, numberedName(seq))));
        return found !== undefined;
      }),
    append: (given, actor, expectedLength) =>
      onDisk(`Appending to the journal of ${runDir}`, async () => {
        const body = parseBody(given);
        await makeFolders(runDir, folder);
        if (!swept) await sweepTemporary(folder);
        swept = true;
        const prev = await hashBefore(folder, expectedLength);
        const told = { seq: expectedLength, prev, ts: clock.now().toISOString(), actor, body };
        const event: RunEvent = { seq: told.seq, prev, hash: eventHash(told), ts: told.ts, actor, body };
        const path = join(folder, numberedName(expectedLength));
        if (!(await createExclusive(path, `${JSON.stringify(event, null, 2)}\n`, link))) throw conflict(expectedLength);
        return event;
      }),
  };
}

/** sha256 over the canonical JSON of all but the hash itself. */
export function eventHash({ seq, prev, ts, actor, body }: Omit<RunEvent, 'hash'>): string {
  return sha256(canonicalJson({ seq, prev, ts, actor, body }));
}

function parseBody(body: EventBody): EventBody {
  const parsed = EventBody.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new HarnessError('event_refused', `The event ${body.type} has another shape: ${parsed.error.message}`);
}

async function readChain(folder: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for (const file of await readNumbered(folder, 0)) {
    events.push(linked(file.text, file.number, events.at(-1)?.hash ?? NO_HASH));
  }
  return events;
}

/** The event, if it is whole and follows the one whose hash is given. */
function linked(text: string, seq: number, prev: string): RunEvent {
  const name = `events/${numberedName(seq)}`;
  const event = parseFile(RunEvent, text, name);
  if (event.seq !== seq) throw broken(name, `says that it is number ${event.seq}`);
  if (event.hash !== eventHash(event)) throw broken(name, 'was changed after it was written: its hash does not match');
  if (event.prev !== prev) throw broken(name, 'does not follow the event before it: the chain is broken there');
  return event;
}

function broken(name: string, what: string): HarnessError {
  return new HarnessError('data_corrupt', `${name} ${what}. Restore it from a copy of the run.`, {
    details: { file: name },
  });
}

/** Events are immutable, so the newest one is enough to go on from; `read` is what checks the whole chain. */
async function hashBefore(folder: string, length: number): Promise<string> {
  if (length === 0) return NO_HASH;
  const name = numberedName(length - 1);
  const text = await valueOnErrno('ENOENT', undefined, readFile(join(folder, name), 'utf8'));
  if (text === undefined) throw conflict(length);
  const event = parseFile(RunEvent, text, `events/${name}`);
  if (event.hash !== eventHash(event)) throw broken(`events/${name}`, 'was changed after it was written');
  return event.hash;
}

function conflict(expectedLength: number): HarnessError {
  const message = `The journal does not hold exactly ${expectedLength} events: read it again, then decide again.`;
  return new HarnessError('journal_conflict', message, { retryable: true, details: { expectedLength } });
}
