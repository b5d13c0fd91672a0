/** One wave of calls: its batch is sent or found again, waited for, and read. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { HarnessError, isHarnessError } from '../../../errors.ts';
import type { SharedFiles } from '../../../ports/shared-files.ts';
import { FailedTry } from '../retry.ts';
import {
  BatchNotCreated,
  type BatchesApi,
  type BatchOutcome,
  type BatchRequest,
  type BatchStatus,
} from './batches-api.ts';
import { retryThroughOutage } from './retry-through-outage.ts';
import { unlessAborted } from '../../../ports/unless-aborted.ts';
import { sharedWork } from './shared-work.ts';
import { customId, removeWave, waveFile, writeWave, type WaveRecord } from './wave-record.ts';

export type WaveTerms = {
  api: BatchesApi;
  endpoint: string;
  /** Tries of one request that changes something; requests that only read may fail for longer. */
  tries: number;
  pollMs: { min: number; max: number };
  /** A batch older than this is cancelled and its rest finished live; undefined: it is waited for without limit. */
  liveAfterMs: number | undefined;
  tell: (dir: string, detail: string) => void;
  filesOf: (dir: string) => SharedFiles;
};

/** The record of a wave in each folder that has calls in it. */
export type WaveParts = ReadonlyMap<string, WaveRecord>;

export type Wave = {
  /** Returns each outcome once; undefined: no batch has it. Contract: an abort leaves the batch as it is. */
  take(one: WaveCall, signal: AbortSignal): Promise<BatchOutcome | undefined>;
  /** True while the outcome of the call was not taken. */
  holds(one: WaveCall): boolean;
  /** Adds another folder that has calls in the wave. */
  add(dir: string, record: WaveRecord): void;
  /** True when the wave has waited as long as the user allows; its unanswered calls are then made live. */
  isLate(): boolean;
};

/** A call of a folder. */
export type WaveCall = { dir: string; call: string };

/** Opens a wave to be sent, or without `requests` a wave that another process began. */
export function openWave(parts: WaveParts, terms: WaveTerms, requests?: BatchRequest[]): Wave {
  const waiting: WaveState = {
    ...{ parts: new Map(parts), terms, requests, sending: undefined },
    perhapsSent: requests === undefined,
  };
  const results = sharedWork((signal) => fetchResults(waiting, signal));
  const taken = new Set<string>();
  const idOfCall = ({ dir, call }: WaveCall): string =>
    customId(waiting.parts.get(dir) ?? getWaveRecord(waiting), call);
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

type WaveState = {
  parts: Map<string, WaveRecord>;
  terms: WaveTerms;
  requests: BatchRequest[] | undefined;
  sending: Promise<string | FailedTry> | undefined;
  /** True while the endpoint may have a batch whose id is not known here. */
  perhapsSent: boolean;
};
type BatchResults = Map<string, BatchOutcome>;

function getWaveRecord({ parts }: WaveState): WaveRecord {
  const [record] = parts.values();
  if (record === undefined) throw new HarnessError('infrastructure', 'A wave without calls.');
  return record;
}

function isLate(waiting: WaveState): boolean {
  const { liveAfterMs } = waiting.terms;
  return liveAfterMs !== undefined && Date.now() - Date.parse(getWaveRecord(waiting).sentAt) >= liveAfterMs;
}

async function fetchResults(waiting: WaveState, signal: AbortSignal): Promise<BatchResults | undefined> {
  const { batch } = getWaveRecord(waiting);
  const id = batch ?? (await getBatchId(waiting, signal));
  if (id === undefined) return undefined;
  try {
    const ended = await waitUntilEnded(id, waiting, signal);
    reportToAll(waiting, `${id} has ended: ${ended.counts}`);
    return await readResults(ended, waiting, signal);
  } catch (error) {
    if (!isHarnessError(error) || error.details['status'] !== 404) throw error;
    return handleMissingBatch(id, waiting, error);
  }
}

/** The offline model's batches end with it and cost nothing; for any other endpoint a person must decide. */
async function handleMissingBatch(id: string, waiting: WaveState, error: HarnessError): Promise<undefined> {
  if (getWaveRecord(waiting).simulated === true) return removeRecords(waiting);
  const files = [...waiting.parts].map(([dir, record]) => join(dir, waveFile(record))).join(', ');
  throw new HarnessError(
    'model_refused',
    `${waiting.terms.endpoint} does not know the batch ${id}, which was sent and may be paid. Use the key that sent it; if the batch was deleted, delete ${files}, and its calls are made again.`,
    { cause: error, details: { batch: id } },
  );
}

async function removeRecords({ parts, terms }: WaveState): Promise<undefined> {
  for (const [dir, record] of parts) await removeWave(terms.filesOf(dir), record);
  return undefined;
}

/** The id of the batch that is sent now, or that was sent by a process which died before it stored the id. */
async function getBatchId(waiting: WaveState, signal: AbortSignal): Promise<string | undefined> {
  const { tries, pollMs } = waiting.terms;
  for (let attempt = 1; ; attempt += 1) {
    const found = waiting.perhapsSent ? await findSent(waiting, signal) : undefined;
    if (found !== undefined) return found;
    waiting.perhapsSent = false;
    if (waiting.requests === undefined) return removeRecords(waiting);
    waiting.sending ??= sendBatch(waiting, waiting.requests, new AbortController().signal).finally(() => {
      waiting.sending = undefined;
    });
    const sent = await unlessAborted(waiting.sending, signal);
    if (typeof sent === 'string') return sent;
    const { error, again, waitMs = 0 } = sent.failure;
    if (!again || attempt >= tries) {
      const late = waiting.perhapsSent ? await findSent(waiting, signal) : undefined;
      if (late !== undefined) return late;
      await removeRecords(waiting);
      throw error;
    }
    reportToAll(waiting, `not sent yet, and tried again: ${error.message}`);
    await delay(Math.max(waitMs, pollMs.min * 2 ** (attempt - 1)), undefined, { signal });
  }
}

/** Continues when its caller aborts, because an interrupted request would leave open whether the batch exists. */
async function sendBatch(
  waiting: WaveState,
  requests: BatchRequest[],
  signal: AbortSignal,
): Promise<string | FailedTry> {
  const { api } = waiting.terms;
  try {
    const newest = await api.newest(signal);
    await updateRecords(waiting, { newest, sentAt: new Date().toISOString() });
    waiting.perhapsSent = true;
    const { id, expiresAt } = await api.create(requests);
    await updateRecords(waiting, { batch: id });
    reportToAll(waiting, `${id} is sent, at half price; it ends mostly within an hour, at latest ${expiresAt}`);
    // The requests are not needed any more, so their memory is freed.
    waiting.requests = undefined;
    return id;
  } catch (error) {
    if (!(error instanceof FailedTry)) throw error;
    if (error instanceof BatchNotCreated) waiting.perhapsSent = false;
    return error;
  }
}

/**
 * A listing contains no custom ids, so only its results show whether a batch is ours. Each batch that is newer than the
 * last known one, and as large as ours, is therefore waited for and read.
 */
async function findSent(waiting: WaveState, signal: AbortSignal): Promise<string | undefined> {
  const { api, pollMs } = waiting.terms;
  const { wave, newest, size } = getWaveRecord(waiting);
  // A batch that this process has just sent may not be listed yet, so the first look waits.
  await delay(pollMs.min, undefined, { signal });
  const newer = await askThroughOutage(waiting, signal, () => api.newerThan(newest, signal));
  for (const { id } of newer.filter((batch) => batch.size === size)) {
    reportToAll(waiting, `whether ${id} is its batch shows when that has ended`);
    const ended = await waitUntilEnded(id, waiting, signal);
    const results = await readResults(ended, waiting, signal);
    if (![...results.keys()].some((key) => key.startsWith(`${wave}-`))) continue;
    await updateRecords(waiting, { batch: id });
    return id;
  }
  return undefined;
}

async function updateRecords(
  waiting: WaveState,
  more: Partial<Pick<WaveRecord, 'batch' | 'newest' | 'sentAt'>>,
): Promise<void> {
  await Promise.all(
    [...waiting.parts].map(async ([dir, record]) => {
      const noted = { ...record, ...more };
      await writeWave(waiting.terms.filesOf(dir), noted);
      waiting.parts.set(dir, noted);
    }),
  );
}

const TOLD_EVERY_MS = 10 * 60_000;

async function waitUntilEnded(id: string, waiting: WaveState, signal: AbortSignal): Promise<BatchStatus> {
  const { api, pollMs } = waiting.terms;
  let pause = pollMs.min;
  let toldAt = Date.now();
  for (;;) {
    const batch = await askThroughOutage(waiting, signal, () => api.look(id, signal));
    if (batch.ended) return batch;
    if (isLate(waiting) && !batch.cancelling) {
      reportToAll(waiting, `${id} is older than allowed: it is cancelled, and its rest is finished live`);
      await askThroughOutage(waiting, signal, () => api.cancel(id, signal));
    }
    if (Date.now() - toldAt >= TOLD_EVERY_MS) {
      toldAt = Date.now();
      const since = `${id} goes on since ${getWaveRecord(waiting).sentAt}, at latest until ${batch.expiresAt}`;
      reportToAll(waiting, since);
    }
    await delay(pause, undefined, { signal });
    pause = Math.min(pause * 1.5, pollMs.max);
  }
}

/** Reads the results again when the file breaks off or has too few answers. */
async function readResults(batch: BatchStatus, waiting: WaveState, signal: AbortSignal): Promise<BatchResults> {
  return askThroughOutage(waiting, signal, async () => {
    const results = await waiting.terms.api.results(batch.id, signal);
    if (results.size >= batch.size) return results;
    const message = `The results of ${batch.id} hold ${results.size} of ${batch.size} answers.`;
    throw new FailedTry({ again: true, error: new HarnessError('model_unavailable', message, { retryable: true }) });
  });
}

function askThroughOutage<T>(waiting: WaveState, signal: AbortSignal, look: () => Promise<T>): Promise<T> {
  const onAway = (why: string): void =>
    reportToAll(waiting, `the endpoint does not answer, and is asked again: ${why}`);
  return retryThroughOutage(look, { ...waiting.terms, onAway }, signal);
}

function reportToAll(waiting: WaveState, detail: string): void {
  const { size, model } = getWaveRecord(waiting);
  const wave = `${size} ${size === 1 ? 'call' : 'calls'} of ${model} in a batch`;
  for (const dir of waiting.parts.keys()) waiting.terms.tell(dir, `${wave}: ${detail}`);
}
