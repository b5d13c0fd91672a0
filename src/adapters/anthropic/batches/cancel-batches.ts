/** Ends the batches that a run left behind at the endpoint, and says what they had done of its calls by then. */
import { setTimeout as delay } from 'node:timers/promises';
import type { SharedFiles } from '../../../ports/shared-files.ts';
import { Usage } from '../../../transcript/message.ts';
import type { EndpointOptions } from '../endpoint.ts';
import { beginningOf } from '../read-stream.ts';
import { FailedTry } from '../retry.ts';
import { toModelResponse } from '../response.ts';
import { openBatchesApi, type BatchesApi, type BatchOutcome, type SeenBatch } from './batches-api.ts';
import { customId, readWaves, type WaveRecord } from './wave-record.ts';

/** A call as the books name it. Without `usage` nothing is billed for it. */
export type EndedCall = { call: string; nth: number; model: string; usage?: Usage };

export type CancelledBatch = {
  batch: string;
  /** `shared`: other runs wait for it too. `away`: the endpoint does not say. `elsewhere`: it is at another endpoint. */
  became: 'ended' | 'shared' | 'still_cancelling' | 'away' | 'elsewhere';
  endpoint: string;
  calls: EndedCall[];
};

export type CancelWait = { pollMs: number; longestMs: number };

/** What a batch costs, whether or not the endpoint says that it was one. */
const TIER = { service_tier: 'batch' } as const;

/** A process that works on the run sees within two seconds that it is cancelled; until then it may send one batch more. */
const UNTIL_STOPPED_MS = 2500;
/** A batch whose sending was cut off has no name, and may never have been made. */
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
    for (const record of fresh) left.set(record.wave, await leave(record, options.baseUrl, { api, patience, signal }));
  }
  return [...left.values()];
}

async function leave(record: WaveRecord, baseUrl: string, ending: Ending): Promise<CancelledBatch> {
  const { batch = '', endpoint } = record;
  const found = { batch, endpoint, calls: [] };
  if (endpoint !== baseUrl) return { ...found, became: 'elsewhere' };
  try {
    return { ...found, ...(await end(record, batch, ending)) };
  } catch (error) {
    if (!(error instanceof FailedTry)) throw error;
    return { ...found, became: 'away' };
  }
}

type Ending = { api: BatchesApi; patience: CancelWait; signal: AbortSignal };

async function end(
  record: WaveRecord,
  batch: string,
  { api, patience, signal }: Ending,
): Promise<Pick<CancelledBatch, 'became' | 'calls'>> {
  let seen: SeenBatch = await api.look(batch, signal);
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
    const usage = usageOf(outcome);
    // What was answered and does not say its cost stays uncertain.
    if (outcome.type === 'succeeded' && usage === undefined) return [];
    return [{ ...paid, model: record.model, ...(usage === undefined ? {} : { usage }) }];
  });
  return { became: 'ended', calls };
}

function usageOf(outcome: BatchOutcome): Usage | undefined {
  if (outcome.type !== 'succeeded') return undefined;
  try {
    return { ...toModelResponse(beginningOf(outcome.message), undefined).response.usage, ...TIER };
  } catch {
    return undefined;
  }
}
