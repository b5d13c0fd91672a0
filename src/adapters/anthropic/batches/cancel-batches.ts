/** Cancels the batches that a run left at the endpoint, and returns which of its calls they had answered by then. */
import { setTimeout as delay } from 'node:timers/promises';
import type { SharedFiles } from '../../../ports/shared-files.ts';
import { Usage } from '../../../transcript/message.ts';
import type { EndpointOptions } from '../endpoint.ts';
import { toStreamedMessage, toModelResponse } from '../response.ts';
import { FailedTry } from '../retry.ts';
import { openBatchesApi, type BatchesApi, type BatchOutcome, type BatchStatus } from './batches-api.ts';
import { customId, readWaves, type WaveRecord } from './wave-record.ts';

/** A call as the spending ledger names it. Without `usage` nothing is billed for it. */
export type EndedCall = { call: string; nth: number; model: string; usage?: Usage };

export type CancelledBatch = {
  batch: string;
  /** `shared`: other runs wait for it. `away`: the endpoint does not answer. `elsewhere`: it is at another endpoint. */
  became: 'ended' | 'shared' | 'still_cancelling' | 'away' | 'elsewhere';
  endpoint: string;
  calls: EndedCall[];
};

export type CancelWait = { pollMs: number; longestMs: number };

/** Added to the usage of each answer, since batches have their own price even where the endpoint does not say so. */
const TIER = { service_tier: 'batch' } as const;

/** A worker notices a cancelled run within two seconds; until then it may send one more batch. */
const UNTIL_STOPPED_MS = 2500;
/** A batch whose sending was interrupted has no known id and may not exist, so it is searched for only so often. */
const MOST_LOOKS = 5;

/** Contract: calling it twice is harmless; the endpoint is not called where no batch was sent. */
export async function cancelBatches(
  files: SharedFiles,
  { api: options, patience }: { api: EndpointOptions; patience: CancelWait },
  signal: AbortSignal,
): Promise<CancelledBatch[]> {
  const api = openBatchesApi(options);
  const left = new Map<string, CancelledBatch>();
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    await delay(UNTIL_STOPPED_MS, undefined, { signal });
    const records = await readWaves(files);
    const fresh = records.filter(({ wave, batch }) => batch !== undefined && !left.has(wave));
    if (fresh.length === 0 && records.every(({ batch }) => batch !== undefined)) break;
    for (const record of fresh)
      left.set(record.wave, await cancelBatch(record, options.baseUrl, { api, patience, signal }));
  }
  return [...left.values()];
}

async function cancelBatch(record: WaveRecord, baseUrl: string, ending: CancelContext): Promise<CancelledBatch> {
  const { batch = '', endpoint } = record;
  const found = { batch, endpoint, calls: [] };
  if (endpoint !== baseUrl) return { ...found, became: 'elsewhere' };
  try {
    return { ...found, ...(await endBatch(record, batch, ending)) };
  } catch (error) {
    if (!(error instanceof FailedTry)) throw error;
    return { ...found, became: 'away' };
  }
}

type CancelContext = { api: BatchesApi; patience: CancelWait; signal: AbortSignal };

async function endBatch(
  record: WaveRecord,
  batch: string,
  { api, patience, signal }: CancelContext,
): Promise<Pick<CancelledBatch, 'became' | 'calls'>> {
  let seen: BatchStatus = await api.look(batch, signal);
  if (!seen.ended && record.size > record.calls.length) return { became: 'shared', calls: [] };
  if (!seen.ended && !seen.cancelling) await api.cancel(batch, signal);
  for (const since = Date.now(); !seen.ended; seen = await api.look(batch, signal)) {
    if (Date.now() - since >= patience.longestMs) return { became: 'still_cancelling', calls: [] };
    await delay(patience.pollMs, undefined, { signal });
  }
  const results = await api.results(batch, signal);
  const calls = record.calls.flatMap((call): EndedCall[] => {
    const paid = record.paidAs?.[call];
    const outcome = results.get(customId(record, call));
    if (paid === undefined || outcome === undefined) return [];
    const usage = readOutcomeUsage(outcome);
    // An answer that does not state its cost stays booked as uncertain.
    if (outcome.type === 'succeeded' && usage === undefined) return [];
    return [{ ...paid, model: record.model, ...(usage === undefined ? {} : { usage }) }];
  });
  return { became: 'ended', calls };
}

function readOutcomeUsage(outcome: BatchOutcome): Usage | undefined {
  if (outcome.type !== 'succeeded') return undefined;
  try {
    return { ...toModelResponse(toStreamedMessage(outcome.message), undefined).response.usage, ...TIER };
  } catch {
    return undefined;
  }
}
