/** The one reader of journals, folded once in a process; the one loop that appends; and whether transcripts are whole. */
import { createSerialQueue } from '../disk/serial-queue.ts';
import { ignoreHarnessError, isHarnessError, HarnessError } from '../errors.ts';
import type { RunFolder, StoredEntry } from '../ports/run-store.ts';
import type { RunEvent, EventBody, StepTranscript } from '../run/event.ts';
import { extendSnapshot, createSnapshot, type RunSnapshot } from '../run/snapshot.ts';
import type { RunState } from '../run/state.ts';
import { applyEvent } from '../run/fold.ts';
import { canonicalJson, sha256 } from '../disk/sha256.ts';

/** Runs whose snapshots are cached; beyond it the one that was used longest ago is dropped. */
const MOST_CACHED = 256;

type Cached = { snapshot?: RunSnapshot | undefined; inTurn: ReturnType<typeof createSerialQueue> };

/** By run folder, for the whole process: several stores may open the same run. */
const cache = new Map<string, Cached>();

/** The run as it is now, with the events of other processes. Contract: `data_corrupt` for a run without events. */
export async function openSnapshot(run: RunFolder): Promise<RunSnapshot> {
  return (await findSnapshot(run)) ?? createSnapshot([]);
}

/** Undefined for a run that has no event yet. */
export function findSnapshot(run: RunFolder): Promise<RunSnapshot | undefined> {
  const cached = cachedFor(run);
  return cached.inTurn(async () => {
    const { snapshot } = cached;
    cached.snapshot = (snapshot && (await readOn(run, snapshot))) ?? (await readWhole(run));
    return cached.snapshot;
  });
}

export async function readState(run: RunFolder): Promise<RunState> {
  return (await openSnapshot(run)).state;
}

export async function readEvents(run: RunFolder): Promise<readonly RunEvent[]> {
  return (await findSnapshot(run))?.events ?? [];
}

/** Reads and checks every file again, whatever this process has read before. */
export async function readAfresh(run: RunFolder): Promise<RunSnapshot> {
  return createSnapshot(await run.journal.read());
}

/** Spares the next reader the event that this process has just appended to `before`. */
export function extendCached(run: RunFolder, before: RunSnapshot, event: RunEvent): RunSnapshot {
  const cached = cachedFor(run);
  const after = extendSnapshot(before, [event]);
  if (cached.snapshot === before) cached.snapshot = after;
  return after;
}

/** Undefined when the folder is no longer the one that was read: then it must be read in full. */
async function readOn(run: RunFolder, snapshot: RunSnapshot): Promise<RunSnapshot | undefined> {
  try {
    const more = await run.journal.read(snapshot.events.at(-1));
    return more.length === 0 ? snapshot : extendSnapshot(snapshot, more);
  } catch (error) {
    return ignoreHarnessError(error, 'data_corrupt');
  }
}

async function readWhole(run: RunFolder): Promise<RunSnapshot | undefined> {
  const events = await run.journal.read();
  return events.length === 0 ? undefined : createSnapshot(events);
}

function cachedFor({ dir }: RunFolder): Cached {
  const cached = cache.get(dir) ?? { inTurn: createSerialQueue() };
  cache.delete(dir);
  cache.set(dir, cached);
  const [oldest] = cache.keys();
  if (cache.size > MOST_CACHED && oldest !== undefined) cache.delete(oldest);
  return cached;
}

const MAX_RACES = 100;

/** Returns the event to append, or undefined for none. */
type ChooseEvent = (now: RunSnapshot) => EventBody | undefined | Promise<EventBody | undefined>;

/** `event` is undefined when nothing was appended; then `after` is `before`. */
type Transaction = { before: RunSnapshot; after: RunSnapshot; event: RunEvent | undefined };

/**
 * Contract: `choose` is called again with a new snapshot each time another writer was faster; its errors are passed on.
 * `event_refused` when its event does not fit the state; then nothing is written.
 */
export async function transact(run: RunFolder, choose: ChooseEvent, actor: string): Promise<Transaction> {
  for (let race = 0; race < MAX_RACES; race += 1) {
    const before = await openSnapshot(run);
    const body = await choose(before);
    if (body === undefined) return { before, after: before, event: undefined };
    const { length, origin } = before.state;
    applyEvent(before.state, { seq: length, ts: origin.at, actor, body });
    try {
      const event = await run.journal.append(body, actor, length);
      return { before, after: extendCached(run, before, event), event };
    } catch (error) {
      if (!isHarnessError(error, 'journal_conflict')) throw error;
    }
  }
  throw new HarnessError('journal_conflict', `Run ${run.id} changes too fast; try again.`, { retryable: true });
}

/** Contract: the digest covers the entries as stored on disk, so that another program version computes the same. */
export function digestTranscript(agent: string, step: string, stored: readonly StoredEntry[]): StepTranscript {
  const entries = stored.filter((entry) => entry.step === step);
  return { agent, step, entries: entries.length, digest: sha256(entries.map(canonicalJson).join('\n')) };
}

type DamagedTranscript = { seq: number; recorded: StepTranscript; found: StepTranscript };

/** Lists ended steps whose conversation differs from their event, oldest first; old programs' events have no digest. */
export async function listDamagedTranscripts(
  run: RunFolder,
  events: readonly RunEvent[],
): Promise<DamagedTranscript[]> {
  const stored = new Map<string, Promise<StoredEntry[]>>();
  const damaged: DamagedTranscript[] = [];
  for (const { seq, body } of events) {
    const recorded = 'transcript' in body ? body.transcript : undefined;
    if (recorded === undefined) continue;
    const { agent, step } = recorded;
    const reading = stored.get(agent) ?? run.transcripts.stored(agent);
    stored.set(agent, reading);
    const found = digestTranscript(agent, step, await reading);
    if (found.digest !== recorded.digest) damaged.push({ seq, recorded, found });
  }
  return damaged;
}

export function describeDamage({ seq, recorded, found }: DamagedTranscript): string {
  const what =
    found.entries === recorded.entries
      ? `the words of step ${recorded.step} were changed`
      : `it has ${found.entries} entries of step ${recorded.step}, and event ${seq} counted ${recorded.entries}`;
  return `transcripts/${recorded.agent}.jsonl is not as it was written: ${what}.`;
}

/** An agent must not continue from a conversation that it never had. Contract: `data_corrupt`. */
export async function refuseDamagedTranscripts(run: RunFolder, events: readonly RunEvent[]): Promise<void> {
  const [first] = await listDamagedTranscripts(run, events);
  if (first === undefined) return;
  throw new HarnessError(
    'data_corrupt',
    `${describeDamage(first)} Run ${run.id} is left as it is. Restore the file from a copy of ${run.dir}; ` +
      `without one, tandem fork ${run.dir} --at ${first.seq - 1} begins a new run from before that step.`,
    { details: { file: `transcripts/${first.recorded.agent}.jsonl`, seq: first.seq } },
  );
}

/** Returns any other event unchanged. */
export async function withTranscriptDigest(
  run: RunFolder,
  body: EventBody,
  { agent, step }: Pick<StepTranscript, 'agent' | 'step'>,
): Promise<EventBody> {
  switch (body.type) {
    case 'design.done':
    case 'iteration.done':
    case 'design.returned': {
      const transcript = digestTranscript(agent, step, await run.transcripts.stored(agent));
      return { ...body, transcript, handoffs: await handoffDigests(run) };
    }
    default:
      return body;
  }
}

async function handoffDigests(run: RunFolder): Promise<Record<string, string>> {
  const paths = (await run.list('handoffs')).toSorted();
  const digests = await Promise.all(paths.map(async (path) => [path, sha256((await run.read(path)) ?? '')] as const));
  return Object.fromEntries(digests);
}

/** Contract: throws when a hand-off that an event names is missing or changed. */
export async function checkHandoffs(run: RunFolder, events: readonly RunEvent[]): Promise<string> {
  const recorded = events.findLast(({ body }) => 'handoffs' in body && body.handoffs !== undefined);
  if (recorded === undefined || !('handoffs' in recorded.body)) return 'not recorded by the program that made this run';
  const { handoffs = {} } = recorded.body;
  for (const [path, digest] of Object.entries(handoffs)) {
    const text = await run.read(path);
    if (text === undefined) throw new Error(`${path} is missing.`);
    if (sha256(text) !== digest) throw new Error(`${path} is not as event ${recorded.seq} recorded it.`);
  }
  return `${Object.keys(handoffs).length} files, as event ${recorded.seq} recorded them`;
}
