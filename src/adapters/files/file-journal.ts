/** The journal on disk: one event a file, created once, each holding the hash of the one before. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import type { Clock } from '../../ports/run-store.ts';
import type { Journal, JournalEvent } from '../../ports/journal.ts';
import { EventBody, RunEvent } from '../../run/event.ts';
import { createExclusive, sweepTemporaryFiles, type CreateLink } from '../../disk/atomic-write.ts';
import { canonicalJson, sha256 } from '../../disk/sha256.ts';
import { makeFolders } from '../../disk/confine.ts';
import { onDisk, valueOnErrno } from '../../disk/disk-fault.ts';
import { toNumberedName, readNumberedFiles, type MirroredNumbers } from '../../disk/numbered-files.ts';
import { createCorruptError, parseFile, parseOrNone } from '../../disk/parse-file.ts';
import { createNewerError, writeProgramNote, explainIfNewer } from '../../disk/newer-program.ts';

/** The `prev` of the first event. */
export const NO_HASH = '';

/** `shared`: the files are a copy of a journal that is stored elsewhere. */
export type FileJournalOptions = { clock: Clock; link?: CreateLink; shared?: MirroredNumbers | undefined };

/** The schemas of a journal: one for its events, and one for their bodies. */
export type JournalShape<Body> = { event: z.ZodType<JournalEvent<Body>>; body: z.ZodType<Body> };
const OF_RUNS: JournalShape<EventBody> = { event: RunEvent, body: EventBody };

/** The last event that this process checked or wrote, with the state of its file: an unchanged file is not read again. */
type JournalTail = { seq: number; hash: string; stamp: string };

/** By the folder of the events, for the whole process; a missing entry costs one more read. */
const tails = new Map<string, JournalTail>();
const MOST_TAILS = 1024;

/** The journal of the run folder `runDir`, in its `events/`. */
export function openFileJournal(runDir: string, options: FileJournalOptions): Journal {
  return openShapedJournal(runDir, OF_RUNS, options);
}

/** Like `openFileJournal`, for events of another shape. */
export function openShapedJournal<Body extends { type: string }>(
  runDir: string,
  shape: JournalShape<Body>,
  { clock, link, shared }: FileJournalOptions,
): Journal<Body> {
  const folder = join(runDir, 'events');
  let swept = false;
  const isThere = async (seq: number): Promise<boolean> =>
    (await readFileStamp(join(folder, toNumberedName(seq)))) !== undefined;
  const create =
    shared === undefined ? (path: string, text: string) => createExclusive(path, text, link) : shared.create;

  return {
    read: (after) =>
      onDisk(`Reading the journal of ${runDir}`, async () => {
        await shared?.refresh();
        return readChain(folder, shape, after).catch(async (error: unknown) => {
          throw await explainIfNewer(runDir, error);
        });
      }),
    holds: (seq) =>
      onDisk(`Looking at the journal of ${runDir}`, async () => {
        if (shared === undefined || (await isThere(seq))) return isThere(seq);
        await shared.refresh();
        return isThere(seq);
      }),
    append: (given, actor, expectedLength) =>
      onDisk(`Appending to the journal of ${runDir}`, async () => {
        const body = parseBody(shape, given);
        await makeFolders(runDir, folder);
        if (!swept) {
          await sweepTemporaryFiles(folder);
          await writeProgramNote(runDir);
        }
        swept = true;
        const prev = await hashBefore(folder, shape, expectedLength);
        const unsigned = { seq: expectedLength, prev, ts: clock.now().toISOString(), actor, body };
        const event = { seq: expectedLength, prev, hash: eventHash(unsigned), ts: unsigned.ts, actor, body };
        const path = join(folder, toNumberedName(expectedLength));
        if (!(await create(path, `${JSON.stringify(event, null, 2)}\n`))) throw createConflictError(expectedLength);
        await rememberTail(folder, event);
        return event;
      }),
  };
}

/** The sha256 of the canonical JSON of the event without its hash. */
export function eventHash({ seq, prev, ts, actor, body }: Omit<JournalEvent<unknown>, 'hash'>): string {
  return sha256(canonicalJson({ seq, prev, ts, actor, body }));
}

function parseBody<Body extends { type: string }>(shape: JournalShape<Body>, body: Body): Body {
  const parsed = shape.body.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new HarnessError('event_refused', `The event ${body.type} has another shape: ${parsed.error.message}`);
}

async function readChain<Body>(
  folder: string,
  shape: JournalShape<Body>,
  after: JournalEvent<Body> | undefined,
): Promise<readonly JournalEvent<Body>[]> {
  const isSame = after !== undefined && (await isTail(folder, after));
  const from = after === undefined ? 0 : after.seq + (isSame ? 1 : 0);
  if (isSame && (await readFileStamp(join(folder, toNumberedName(from)))) === undefined) return [];
  const events: JournalEvent<Body>[] = [];
  let prev = isSame ? after.hash : (after?.prev ?? NO_HASH);
  for (const file of await readNumberedFiles(folder, from)) {
    const event = checkLink(parseEvent(shape, file.text, formatEventName(file.number)), file.number, prev);
    events.push(event);
    prev = event.hash;
  }
  const last = events.at(-1);
  if (last !== undefined) await rememberTail(folder, last);
  if (after === undefined || isSame) return events;
  if (events[0]?.hash !== after.hash)
    throw createCorruptError(`events/${toNumberedName(after.seq)}`, 'is no longer what was read');
  return events.slice(1);
}

async function isTail(folder: string, { seq, hash }: JournalEvent<unknown>): Promise<boolean> {
  const tail = tails.get(folder);
  return (
    tail?.seq === seq && tail.hash === hash && tail.stamp === (await readFileStamp(join(folder, toNumberedName(seq))))
  );
}

async function rememberTail(folder: string, { seq, hash }: JournalEvent<unknown>): Promise<void> {
  const stamp = await readFileStamp(join(folder, toNumberedName(seq)));
  if (tails.size >= MOST_TAILS) tails.clear();
  if (stamp !== undefined) tails.set(folder, { seq, hash, stamp });
}

/** Returns a value that changes whenever the file is written again; undefined when there is no file. */
export async function readFileStamp(path: string): Promise<string | undefined> {
  const found = await valueOnErrno('ENOENT', undefined, stat(path, { bigint: true }));
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
}

/** Returns the event, or throws when it is damaged or does not follow the event with hash `prev`. */
function checkLink<Body>(event: JournalEvent<Body>, seq: number, prev: string): JournalEvent<Body> {
  const name = formatEventName(seq);
  if (event.seq !== seq) throw createCorruptError(name, `says that it is number ${event.seq}`);
  if (event.hash !== eventHash(event))
    throw createCorruptError(name, 'was changed after it was written: its hash does not match');
  if (event.prev !== prev)
    throw createCorruptError(name, 'does not follow the event before it: the chain is broken there');
  return event;
}

const formatEventName = (seq: number): string => `events/${toNumberedName(seq)}`;

/** An event of another shape with a valid hash was written by a newer version of the program. */
function parseEvent<Body>({ event }: JournalShape<Body>, text: string, name: string): JournalEvent<Body> {
  const parsed = event.safeParse(parseOrNone(z.unknown(), text));
  if (parsed.success) return parsed.data;
  const whole = parseOrNone(SignedEvent, text);
  if (whole !== undefined && whole.hash === eventHash(whole as RunEvent)) throw createNewerError(name);
  return parseFile(event, text, name);
}

const SignedEvent = z.looseObject({ hash: z.string() });

/** Events never change, so checking the newest one is enough to append; `read` checks the whole chain. */
async function hashBefore(folder: string, shape: JournalShape<unknown>, length: number): Promise<string> {
  if (length === 0) return NO_HASH;
  const name = toNumberedName(length - 1);
  const tail = tails.get(folder);
  if (tail?.seq === length - 1 && tail.stamp === (await readFileStamp(join(folder, name)))) return tail.hash;
  const text = await valueOnErrno('ENOENT', undefined, readFile(join(folder, name), 'utf8'));
  if (text === undefined) throw createConflictError(length);
  const event = parseEvent(shape, text, `events/${name}`);
  if (event.hash !== eventHash(event)) throw createCorruptError(`events/${name}`, 'was changed after it was written');
  return event.hash;
}

function createConflictError(expectedLength: number): HarnessError {
  const message = `The journal does not hold exactly ${expectedLength} events: read it again, then decide again.`;
  return new HarnessError('journal_conflict', message, { retryable: true, details: { expectedLength } });
}
