/** Gathers the calls of all conversations into waves, and hands each call what its wave answered. */
import { randomBytes } from 'node:crypto';
import { canonicalJson, sha256 } from '../../../disk/sha256.ts';
import { openSharedFiles } from '../../../disk/shared-files.ts';
import { HarnessError } from '../../../errors.ts';
import type { CallTerms, Model, ModelRequest, ModelResponse } from '../../../ports/model.ts';
import type { Economy, EconomyLane } from '../../../ports/economy.ts';
import { billFailedTry, isWhole } from '../failed-try-bill.ts';
import { toParams } from '../anthropic-model.ts';
import type { EndpointOptions } from '../endpoint.ts';
import { toStreamedMessage, toModelResponse } from '../response.ts';
import { BATCH_TIER, batchParams, reportExchange, toBatchBill } from './batch-params.ts';
import { openBatchesApi, type BatchOutcome, type BatchParams } from './batches-api.ts';
import { unlessAborted } from '../../../ports/unless-aborted.ts';
import { openWave, type Wave, type WaveParts, type WaveTerms } from './wave.ts';
import { collectPaidAs, customId, readWaves, refuseOtherEndpoint, type PaidAs } from './wave-record.ts';

export type EconomyOptions = EndpointOptions &
  Pick<WaveTerms, 'tries' | 'pollMs' | 'liveAfterMs'> & {
    /** The model for requests that batches do not accept, and for calls that are finished live. */
    live: Model;
    simulated: boolean;
    /** A wave is sent when no new call has joined it for this long. */
    gatherMs: number;
    /** Reports each thing in an answer that this version does not know, in words. */
    onNews?: (what: string) => void;
  };

/** The length of a call's digest in its `custom_id`. */
const CALL_DIGITS = 40;
/** These limits stay below the API's: 100,000 requests and 256 MB. */
const MOST_CALLS = 10_000;
const MOST_CHARACTERS = 100_000_000;
/** A wave is sent after at most so many pauses of `gatherMs`, even when calls keep coming. */
const LONGEST_GATHERING = 10;

type PendingCall = {
  call: string;
  dir: string;
  params: BatchParams;
  paidAs: PaidAs | undefined;
  wave: PromiseWithResolvers<Wave>;
};
type Gathering = { calls: Set<PendingCall>; characters: number; since: number; timer: NodeJS.Timeout };
type EconomyState = {
  options: EconomyOptions;
  terms: WaveTerms;
  gatherings: Map<string, Gathering>;
  /** By folder, then by call: the waves that contain the call, oldest first. */
  folders: Map<string, Promise<Map<string, Wave[]>>>;
  waves: Map<string, Wave>;
  /** The newest lane of each folder. */
  lanes: Map<string, EconomyLane>;
};

export function openEconomy(options: EconomyOptions): Economy {
  const { tries, pollMs, liveAfterMs, baseUrl } = options;
  const lanes: EconomyState['lanes'] = new Map();
  const terms: WaveTerms = {
    ...{ api: openBatchesApi(options), endpoint: baseUrl, tries, pollMs, liveAfterMs },
    tell: (dir, detail) => lanes.get(dir)?.tell(detail),
    filesOf: (dir) => lanes.get(dir)?.files ?? openSharedFiles(dir),
  };
  const hub: EconomyState = { options, terms, gatherings: new Map(), folders: new Map(), waves: new Map(), lanes };
  return {
    model: (lane) => {
      lanes.set(lane.dir, lane);
      return {
        batch: {
          liveToo: liveAfterMs !== undefined,
          holds: async (request) => (await findWaves(hub, lane.dir, digestCall(lane, request))).length > 0,
        },
        call: (request, signal, callTerms) => callInWave(hub, lane, { request, signal, terms: callTerms ?? {} }),
      };
    },
  };
}

/** The digest is the same in every process that continues the conversation. */
function digestCall({ name }: EconomyLane, request: ModelRequest): string {
  return sha256(`${name}\n${canonicalJson(request)}`).slice(0, CALL_DIGITS);
}

type CallArgs = { request: ModelRequest; signal: AbortSignal; terms: CallTerms };

async function callInWave(hub: EconomyState, lane: EconomyLane, args: CallArgs): Promise<ModelResponse> {
  const { request, signal, terms } = args;
  const { live, tries } = hub.options;
  // Only agents send such requests, and their calls are made live.
  if (request.betas !== undefined || request.compaction !== undefined) return live.call(request, signal, terms);
  const call = digestCall(lane, request);
  let [late, failed] = [false, false];
  for (const wave of await findWaves(hub, lane.dir, call)) {
    const outcome = await wave.take({ dir: lane.dir, call }, signal);
    reportExchange(outcome, request, terms);
    const response = await toUsableResponse(outcome, hub, terms);
    if (response !== undefined) return response;
    if (outcome?.type !== 'succeeded') await terms.onFailedTry?.({ billed: 'none' });
    late ||= outcome !== undefined && wave.isLate();
    failed = true;
  }
  let missed: HarnessError | undefined;
  for (let attempt = 1; attempt <= tries && !late; attempt += 1) {
    if (failed) await terms.onNextTry?.();
    failed = true;
    const paidAs = terms.paidAs?.();
    const params = batchParams(toParams(request, terms));
    const wave = await joinWave(hub, { call, dir: lane.dir, params, paidAs }, args);
    const outcome = await wave.take({ dir: lane.dir, call }, signal);
    reportExchange(outcome, request, terms);
    const response = await toUsableResponse(outcome, hub, terms);
    if (response !== undefined) return response;
    if (outcome?.type !== 'succeeded') await terms.onFailedTry?.({ billed: 'none' });
    if (outcome?.type === 'errored' && !outcome.failure.again) throw outcome.failure.error;
    missed = createMissedError(outcome);
    late = wave.isLate();
  }
  if (hub.options.liveAfterMs === undefined) throw missed ?? createMissedError(undefined);
  if (failed) await terms.onNextTry?.();
  return live.call(request, signal, terms);
}

function createMissedError(outcome: BatchOutcome | undefined): HarnessError {
  if (outcome?.type === 'errored') return outcome.failure.error;
  const missed = { expired: 'expired', canceled: 'was cancelled' } as const;
  const how = outcome?.type === 'missed' ? missed[outcome.why] : 'came back damaged';
  return new HarnessError(
    'model_unavailable',
    `The call ${how} in its batch, in every try. Go on later, or without --economy.`,
    { retryable: true },
  );
}

/** Finds the waves that contain the call and from which this process has not taken it yet. */
async function findWaves(hub: EconomyState, dir: string, call: string): Promise<Wave[]> {
  const found = hub.folders.get(dir) ?? readFolder(hub, dir);
  hub.folders.set(dir, found);
  const waves = await found.catch((error: unknown) => {
    hub.folders.delete(dir);
    throw error;
  });
  return (waves.get(call) ?? []).filter((wave) => wave.holds({ dir, call }));
}

async function readFolder(hub: EconomyState, dir: string): Promise<Map<string, Wave[]>> {
  const byCall = new Map<string, Wave[]>();
  for (const record of await readWaves(hub.terms.filesOf(dir))) {
    refuseOtherEndpoint(hub.terms, record);
    // Runs that shared the wave read its results together, once.
    const wave = hub.waves.get(record.wave) ?? openWave(new Map([[dir, record]]), hub.terms);
    hub.waves.set(record.wave, wave);
    wave.add(dir, record);
    for (const call of record.calls) byCall.set(call, [...(byCall.get(call) ?? []), wave]);
  }
  return byCall;
}

/** Resolves when the call is in a wave that is being sent. */
async function joinWave(
  hub: EconomyState,
  one: Omit<PendingCall, 'wave'>,
  { request, signal, terms }: CallArgs,
): Promise<Wave> {
  const pending: PendingCall = { ...one, wave: Promise.withResolvers<Wave>() };
  addToGathering(hub, request.model, pending);
  try {
    return await unlessAborted(pending.wave.promise, signal);
  } catch (error) {
    // The call was not sent yet, so it is taken out of the wave.
    hub.gatherings.get(request.model)?.calls.delete(pending);
    await terms.onFailedTry?.({ billed: 'none' });
    throw error;
  }
}

function addToGathering(hub: EconomyState, model: string, pending: PendingCall): void {
  const { gatherMs } = hub.options;
  const now = Date.now();
  const gathering = hub.gatherings.get(model) ?? {
    calls: new Set(),
    characters: 0,
    since: now,
    timer: setTimeout(() => undefined),
  };
  hub.gatherings.set(model, gathering);
  gathering.calls.add(pending);
  gathering.characters += JSON.stringify(pending.params).length;
  clearTimeout(gathering.timer);
  const isFull = gathering.calls.size >= MOST_CALLS || gathering.characters >= MOST_CHARACTERS;
  const restMs = gathering.since + LONGEST_GATHERING * gatherMs - now;
  gathering.timer = setTimeout(() => sendWave(hub, model, gathering), isFull ? 0 : Math.min(gatherMs, restMs));
  if (isFull) hub.gatherings.delete(model);
}

function sendWave(hub: EconomyState, model: string, gathering: Gathering): void {
  if (hub.gatherings.get(model) === gathering) hub.gatherings.delete(model);
  const pending = [...gathering.calls];
  if (pending.length === 0) return;
  const { terms, options } = hub;
  const head = {
    ...{ version: 1 as const, wave: randomBytes(6).toString('hex'), model, endpoint: terms.endpoint, newest: null },
    ...{ sentAt: new Date().toISOString(), size: pending.length },
    ...(options.simulated ? { simulated: true as const } : {}),
  };
  const parts = [...Map.groupBy(pending, ({ dir }) => dir)].map(
    ([dir, own], part) => [dir, { ...head, part, calls: own.map(({ call }) => call), ...collectPaidAs(own) }] as const,
  );
  const byDir: WaveParts = new Map(parts);
  const requests = pending.map(({ dir, call, params }) => ({
    custom_id: customId(byDir.get(dir) ?? { ...head, part: 0 }, call),
    params,
  }));
  const wave = openWave(byDir, terms, requests);
  hub.waves.set(head.wave, wave);
  for (const { dir, call, wave: joined } of pending) {
    void hub.folders.get(dir)?.then((waves) => waves.set(call, [...(waves.get(call) ?? []), wave]));
    joined.resolve(wave);
  }
}

/** Returns undefined for a damaged answer, which is billed like any other. */
async function toUsableResponse(
  outcome: BatchOutcome | undefined,
  { options }: EconomyState,
  terms: CallTerms,
): Promise<ModelResponse | undefined> {
  if (outcome?.type !== 'succeeded') return undefined;
  const message = toStreamedMessage(outcome.message);
  const { usage } = message;
  try {
    const { response, news } = toModelResponse(message, undefined);
    for (const one of news) options.onNews?.(one);
    const billed = { ...response, usage: { ...response.usage, ...BATCH_TIER } };
    return isWhole(usage) ? billed : { ...billed, usageUnknown: true };
  } catch (error) {
    await terms.onFailedTry?.(toBatchBill(billFailedTry(error, { usage, ended: true })));
    return undefined;
  }
}
