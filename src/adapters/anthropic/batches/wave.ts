/** One wave of calls: its batch is sent or found again, waited for, and read. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { HarnessError, isHarnessError } from '../../../errors.ts';
import type { SharedFiles } from '../../../ports/shared-files.ts';
import { FailedTry } from '../retry.ts';
import { NotCreated, type BatchesApi, type BatchOutcome, type BatchRequest, type SeenBatch } from './batches-api.ts';
import { retryThroughOutage } from './retry-through-outage.ts';
import { sharedWork, unlessAborted } from './shared-work.ts';
import { customId, removeWave, waveFile, writeWave, type WaveRecord } from './wave-record.ts';

export type WaveTerms = {
  api: BatchesApi;
  endpoint: string;
  /** Tries of one request to the endpoint; one that only looks may fail for longer. */
  tries: number;
  pollMs: { min: number; max: number };
  /** A batch that is older is cancelled, and the rest of it finished live; undefined: it is waited for. */
  liveAfterMs: number | undefined;
  tell: (dir: string, detail: string) => void;
  filesOf: (dir: string) => SharedFiles;
};

/** What is written down of a wave, in each folder that has calls in it. */
export type WaveParts = ReadonlyMap<string, WaveRecord>;

export type Wave = {
  /** Each outcome is taken once; undefined: no batch has it. Contract: an abort leaves the batch as it is. */
  take(one: WaveCall, signal: AbortSignal): Promise<BatchOutcome | undefined>;
  /** True when nobody has taken it. */
  holds(one: WaveCall): boolean;
  /** Another folder that has calls in it. */
  add(dir: string, record: WaveRecord): void;
  /** True when it has waited as long as the user allows: what it did not do is done live. */
  isLate(): boolean;
};

/** A call of a folder. */
export type WaveCall = { dir: string; call: string };

/** Without `requests` it was begun by another process. */
export function openWave(parts: WaveParts, terms: WaveTerms, requests?: BatchRequest[]): Wave {
  const waiting: Waiting = {
    ...{ parts: new Map(parts), terms, requests, sending: undefined },
    perhapsSent: requests === undefined,
  };
  const results = sharedWork((signal) => resultsOf(waiting, signal));
  const taken = new Set<string>();
  const idOfCall = ({ dir, call }: WaveCall): string => customId(waiting.parts.get(dir) ?? recordOf(waiting), call);
  return {
    holds: (one) => !taken.has(idOfCall(one)),
    isLate: () => isLate(waiting),
    add: (dir, record) => void waiting.parts.set(dir, record),
    take: async (one, signal) => {
      const answers = await results(signal);
      const id = idOfCall(one);
      const outcome = answers?.get(id);
      answers?.delete(id);
      taken.add(id);
      return outcome;
    },
  };
}

type Waiting = {
  parts: Map<string, WaveRecord>;
  terms: WaveTerms;
  requests: BatchRequest[] | undefined;
  sending: Promise<string | FailedTry> | undefined;
  /** The endpoint may have a batch whose id we do not know. */
  perhapsSent: boolean;
};
type Results = Map<string, BatchOutcome>;

function recordOf({ parts }: Waiting): WaveRecord {
  const [record] = parts.values();
  if (record === undefined) throw new HarnessError('infrastructure', 'A wave without calls.');
  return record;
}

function isLate(waiting: Waiting): boolean {
  const { liveAfterMs } = waiting.terms;
  return liveAfterMs !== undefined && Date.now() - Date.parse(recordOf(waiting).sentAt) >= liveAfterMs;
}

async function resultsOf(waiting: Waiting, signal: AbortSignal): Promise<Results | undefined> {
  const { batch } = recordOf(waiting);
  const id = batch ?? (await idOf(waiting, signal));
  if (id === undefined) return undefined;
  try {
    const ended = await untilEnded(id, waiting, signal);
    reportToAll(waiting, `${what(waiting)}: ${id} has ended: ${ended.counts}`);
    return await readResults(ended, waiting, signal);
  } catch (error) {
    if (!isHarnessError(error) || error.details['status'] !== 404) throw error;
    return gone(id, waiting, error);
  }
}

/** The offline model forgets its batches when it ends, and nothing was paid; elsewhere a person must say so. */
async function gone(id: string, waiting: Waiting, error: HarnessError): Promise<undefined> {
  if (recordOf(waiting).simulated === true) return forget(waiting);
  const files = [...waiting.parts].map(([dir, record]) => join(dir, waveFile(record))).join(', ');
  throw new HarnessError(
    'model_refused',
    `${waiting.terms.endpoint} does not know the batch ${id}, which was sent and may be paid. Use the key that sent it; if the batch was deleted, delete ${files}, and its calls are made again.`,
    { cause: error, details: { batch: id } },
  );
}

async function forget({ parts, terms }: Waiting): Promise<undefined> {
  for (const [dir, record] of parts) await removeWave(terms.filesOf(dir), record);
  return undefined;
}

/** Sent now, or by a process that died before it learnt the id. */
async function idOf(waiting: Waiting, signal: AbortSignal): Promise<string | undefined> {
  const { tries, pollMs } = waiting.terms;
  for (let attempt = 1; ; attempt += 1) {
    const found = waiting.perhapsSent ? await findSent(waiting, signal) : undefined;
    if (found !== undefined) return found;
    waiting.perhapsSent = false;
    if (waiting.requests === undefined) return forget(waiting);
    waiting.sending ??= send(waiting, waiting.requests, new AbortController().signal).finally(() => {
      waiting.sending = undefined;
    });
    const sent = await unlessAborted(waiting.sending, signal);
    if (typeof sent === 'string') return sent;
    const { error, again, waitMs = 0 } = sent.failure;
    if (!again || attempt >= tries) {
      const late = waiting.perhapsSent ? await findSent(waiting, signal) : undefined;
      if (late !== undefined) return late;
      await forget(waiting);
      throw error;
    }
    reportToAll(waiting, `${what(waiting)}: not sent yet, and tried again: ${error.message}`);
    await delay(Math.max(waitMs, pollMs.min * 2 ** (attempt - 1)), undefined, { signal });
  }
}

/** Goes on when its caller leaves: half a sentence to the endpoint would leave open whether the batch is there. */
async function send(waiting: Waiting, requests: BatchRequest[], signal: AbortSignal): Promise<string | FailedTry> {
  const { api } = waiting.terms;
  try {
    const newest = await api.newest(signal);
    await note(waiting, { newest, sentAt: new Date().toISOString() });
    waiting.perhapsSent = true;
    const { id, expiresAt } = await api.create(requests);
    await note(waiting, { batch: id });
    const end = `it ends mostly within an hour, at latest ${expiresAt}`;
    reportToAll(waiting, `${what(waiting)}: ${id} is sent, at half price; ${end}`);
    // Their words are needed no more.
    waiting.requests = undefined;
    return id;
  } catch (error) {
    if (!(error instanceof FailedTry)) throw error;
    if (error instanceof NotCreated) waiting.perhapsSent = false;
    return error;
  }
}

/**
 * Whether a batch is ours shows in its results only: a listing holds no custom ids. So each batch that is newer than the
 * newest one before, and as large as ours, is waited for and read.
 */
async function findSent(waiting: Waiting, signal: AbortSignal): Promise<string | undefined> {
  const { api, pollMs } = waiting.terms;
  const { wave, newest, size } = recordOf(waiting);
  // The first look of a new process is late enough; of this one it could be too early.
  await delay(pollMs.min, undefined, { signal });
  const newer = await patiently(waiting, signal, () => api.newerThan(newest, signal));
  for (const { id } of newer.filter((batch) => batch.size === size)) {
    reportToAll(waiting, `${what(waiting)}: whether ${id} is its batch shows when that has ended`);
    const ended = await untilEnded(id, waiting, signal);
    const results = await readResults(ended, waiting, signal);
    if (![...results.keys()].some((key) => key.startsWith(`${wave}-`))) continue;
    await note(waiting, { batch: id });
    return id;
  }
  return undefined;
}

async function note(waiting: Waiting, more: Partial<Pick<WaveRecord, 'batch' | 'newest' | 'sentAt'>>): Promise<void> {
  await Promise.all(
    [...waiting.parts].map(async ([dir, record]) => {
      const noted = { ...record, ...more };
      await writeWave(waiting.terms.filesOf(dir), noted);
      waiting.parts.set(dir, noted);
    }),
  );
}

const TOLD_EVERY_MS = 10 * 60_000;

async function untilEnded(id: string, waiting: Waiting, signal: AbortSignal): Promise<SeenBatch> {
  const { api, pollMs } = waiting.terms;
  let pause = pollMs.min;
  let toldAt = Date.now();
  for (;;) {
    const batch = await patiently(waiting, signal, () => api.look(id, signal));
    if (batch.ended) return batch;
    if (isLate(waiting) && !batch.cancelling) {
      reportToAll(
        waiting,
        `${what(waiting)}: ${id} is older than allowed: it is cancelled, and its rest is finished live`,
      );
      await patiently(waiting, signal, () => api.cancel(id, signal));
    }
    if (Date.now() - toldAt >= TOLD_EVERY_MS) {
      toldAt = Date.now();
      reportToAll(
        waiting,
        `${what(waiting)}: ${id} goes on since ${recordOf(waiting).sentAt}, at latest until ${batch.expiresAt}`,
      );
    }
    await delay(pause, undefined, { signal });
    pause = Math.min(pause * 1.5, pollMs.max);
  }
}

/** A file that breaks off or is too short is read again. */
async function readResults(batch: SeenBatch, waiting: Waiting, signal: AbortSignal): Promise<Results> {
  return patiently(waiting, signal, async () => {
    const results = await waiting.terms.api.results(batch.id, signal);
    if (results.size >= batch.size) return results;
    const message = `The results of ${batch.id} hold ${results.size} of ${batch.size} answers.`;
    throw new FailedTry({ again: true, error: new HarnessError('model_unavailable', message, { retryable: true }) });
  });
}

function patiently<T>(waiting: Waiting, signal: AbortSignal, look: () => Promise<T>): Promise<T> {
  const onAway = (why: string): void =>
    reportToAll(waiting, `${what(waiting)}: the endpoint does not answer, and is asked again: ${why}`);
  return retryThroughOutage(look, { ...waiting.terms, onAway }, signal);
}

function what(waiting: Waiting): string {
  const { size, model } = recordOf(waiting);
  return `${size} ${size === 1 ? 'call' : 'calls'} of ${model} in a batch`;
}

function reportToAll({ parts, terms }: Waiting, detail: string): void {
  for (const dir of parts.keys()) terms.tell(dir, detail);
}
