/** Answers model calls from a recording alone: no network, no key, no cost, and the same result every time. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Model, ModelCatalogue, ModelRequest, ModelResponse } from '../../ports/model.ts';
import { canonicalJson, sha256 } from '../../disk/sha256.ts';
import { onDisk, valueOnErrno } from '../../disk/disk-fault.ts';
import { parseFile } from '../../disk/parse-file.ts';
import {
  firstRequestDifference,
  requestKey,
  sharedParts,
  callFile,
  factsFile,
  HEAD_FILE,
  RecordedModelCall,
  RecordedFacts,
  RecordingHead,
} from './request-key.ts';

export type RecordingReplay = { model: Model; catalogue: ModelCatalogue; simulated: boolean; endpoint: string };

/** Counts how often each request was answered before this process, by the beginning of the whole request's digest. */
export type UsedAnswers = ReadonlyMap<string, number>;

/**
 * `before` counts the answers that resumed runs have used already. Contract: `not_found` when the folder is no
 * recording, and for every request that it does not answer.
 */
export async function openReplay(dir: string, before: UsedAnswers = new Map()): Promise<RecordingReplay> {
  const text = await readRecordingFile(dir, HEAD_FILE);
  const none = `--replay ${dir}: no recording is there. Make one: tandem run … --record ${dir}`;
  if (text === undefined) throw new HarnessError('not_found', none);
  const head = parseFile(RecordingHead, text, join(dir, HEAD_FILE));
  /** Counts the calls of each request: equal requests get their answers in the order of the recording. */
  const counts = new Map<string, number>();
  return {
    simulated: head.simulated,
    endpoint: `a recording of ${head.endpoint}`,
    model: {
      call: async (request, signal) => {
        signal.throwIfAborted();
        const { digest } = requestKey(request);
        const number = (counts.get(digest) ?? answeredBefore(before, request)) + 1;
        counts.set(digest, number);
        const found = await readRecordingFile(dir, callFile(digest, number));
        signal.throwIfAborted();
        if (found === undefined) throw await notRecorded(dir, request, number);
        return toRecordedResponse(parseFile(RecordedModelCall, found, join(dir, callFile(digest, number))));
      },
    },
    catalogue: {
      describe: async (model, signal) => {
        signal.throwIfAborted();
        const found = await readRecordingFile(dir, factsFile(model));
        const missing = `Model ${model} is not in the recording ${dir}. ${REMEDY}`;
        if (found === undefined) throw new HarnessError('not_found', missing, { details: { model, recording: dir } });
        return parseFile(RecordedFacts, found, join(dir, factsFile(model))).facts;
      },
    },
  };
}

function answeredBefore(before: UsedAnswers, request: ModelRequest): number {
  if (before.size === 0) return 0;
  const digest = sha256(canonicalJson(request));
  return [...before].reduce((sum, [start, count]) => (digest.startsWith(start) ? sum + count : sum), 0);
}

function toRecordedResponse({ answer }: RecordedModelCall): ModelResponse {
  if (answer.type === 'refused') {
    const { message, means } = answer;
    throw new HarnessError('model_refused', message, { details: omitUndefined({ means }) });
  }
  const { requestId, at, ...response } = answer.response;
  return { ...response, ...omitUndefined({ requestId, at }) };
}

function readRecordingFile(dir: string, path: string): Promise<string | undefined> {
  return onDisk(`Reading the recording ${dir}`, () =>
    valueOnErrno('ENOENT', undefined, readFile(join(dir, path), 'utf8')),
  );
}

const REMEDY = 'If the change is wanted, record again with --record; if not, undo it. Nothing was sent to any model.';

/** Throws `not_found`, not `model_refused`: a missing recording must stop the run, never leave one sample unscored. */
async function notRecorded(dir: string, request: ModelRequest, number: number): Promise<HarnessError> {
  const { digest } = requestKey(request);
  const details = { digest, recording: dir };
  if (number > 1) {
    const message = `Request ${digest.slice(0, 12)} of ${request.model} was recorded ${number - 1} times in ${dir} and is made once more (more trials?). ${REMEDY}`;
    return new HarnessError('not_found', message, { details });
  }
  const nearest = await nearestParts(dir, request);
  const where =
    nearest === undefined
      ? `No call of ${request.model} is recorded.`
      : `The nearest recorded request differs first in ${firstRequestDifference(request, nearest)}: ${excerptDifference(request, nearest)}`;
  const message = `Request ${digest.slice(0, 12)} of ${request.model} is not in the recording ${dir}. ${where} ${REMEDY}`;
  return new HarnessError('not_found', message, { details });
}

async function nearestParts(dir: string, request: ModelRequest): Promise<readonly string[] | undefined> {
  const { parts } = requestKey(request);
  let best: { parts: readonly string[]; shared: number } | undefined;
  for (const name of await readdir(join(dir, 'calls'))) {
    const text = name.endsWith('.json') ? await readRecordingFile(dir, `calls/${name}`) : undefined;
    if (text === undefined) continue;
    const call = parseFile(RecordedModelCall, text, join(dir, 'calls', name));
    const shared = sharedParts(parts, call.parts);
    if (call.model === request.model && shared > (best?.shared ?? -1)) best = { parts: call.parts, shared };
  }
  return best?.parts;
}

const EXCERPT = 160;

/** Quotes the first difference, for a person who knows what was changed. */
function excerptDifference(request: ModelRequest, nearest: readonly string[]): string {
  const { parts } = requestKey(request);
  const { system, tools, messages, ...rest } = request;
  const part = [rest, system, tools, ...messages][sharedParts(parts, nearest)];
  return part === undefined ? '' : `${JSON.stringify(part).slice(0, EXCERPT)}…`;
}
