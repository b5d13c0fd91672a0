/** Records the bytes of a trial's model calls: a conversation repeats what came before, and each piece of it is stored once. */
import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Exchange, Model } from '../../ports/model.ts';
import type { SubjectHost } from '../../ports/subject.ts';
import type { TrialCalls } from '../../scenario/trial-calls.ts';
import type { ParticipantSources } from './trial-participants.ts';

const compress = promisify(zstdCompress);

export type CallRecorder = {
  /** The same sources; what passes through their models is recorded. */
  over: <Sources extends ParticipantSources>(sources: Sources) => Sources;
  /** Undefined when nobody called a model. */
  done: () => Promise<TrialCalls | undefined>;
};

type OneCall = TrialCalls['calls'][number];

export function recordCalls(): CallRecorder {
  const calls: OneCall[] = [];
  const pieces: Uint8Array[] = [];
  const before = new Map<string, Buffer>();
  let [step, size] = [0, 0];
  const begin = (by: string): OneCall => {
    if (by === 'subject') step += 1;
    const call: OneCall = { by, step, tries: [] };
    calls.push(call);
    return call;
  };
  const take = ({ by, tries }: OneCall, { request: text, status, answer }: Exchange): void => {
    const request = Buffer.from(text);
    const { head, tail } = sharedEnds(before.get(by) ?? Buffer.alloc(0), request);
    before.set(by, request);
    const own = request.subarray(head, request.length - tail);
    tries.push({
      ...omitUndefined({ status }),
      request: { bytes: request.length, sha256: digestOf(request), head, tail },
      answer: { bytes: answer.length, sha256: digestOf(answer) },
      at: size,
    });
    pieces.push(own, answer);
    size += own.length + answer.length;
  };
  const heard = (model: Model, by: string): Model => ({
    ...model,
    call: (request, signal, terms) => {
      const call = begin(by);
      return model.call(request, signal, { ...terms, onExchange: (exchange) => take(call, exchange) });
    },
  });
  const host = (inner: SubjectHost): SubjectHost => ({
    open: async (start) => {
      let call: OneCall | undefined;
      const onExchange = (exchange: Exchange): void => take((call ??= begin('subject')), exchange);
      const conversation = await inner.open({ ...start, onExchange });
      return {
        next: (input, leftMs, signal) => {
          call = begin('subject');
          return conversation.next(input, leftMs, signal);
        },
        close: () => conversation.close(),
      };
    },
  });
  return {
    over: (sources) => through(sources, { heard, host }),
    done: async () => {
      if (calls.length === 0) return undefined;
      return { version: 1, calls, zstd: (await compress(Buffer.concat(pieces))).toString('base64') };
    },
  };
}

type Hearing = { heard: (model: Model, by: string) => Model; host: (inner: SubjectHost) => SubjectHost };

function through<Sources extends ParticipantSources>(sources: Sources, { heard, host }: Hearing): Sources {
  type ModelFor = ParticipantSources['modelFor'];
  const hearing =
    (modelFor: ModelFor, by: string): ModelFor =>
    async (lane) =>
      heard(await modelFor(lane), by);
  const { userModel, grading } = sources;
  return {
    ...sources,
    modelFor: hearing(sources.modelFor, 'subject'),
    ...(sources.host && { host: host(sources.host) }),
    ...(userModel && { userModel: { ...userModel, modelFor: hearing(userModel.modelFor, 'user') } }),
    ...(grading && {
      grading: {
        ...grading,
        modelOf: async (grader) => {
          const by = await grading.modelOf(grader);
          return { ...by, modelFor: hearing(by.modelFor, `grader ${grader.id}`) };
        },
      } satisfies typeof grading,
    }),
  };
}

function sharedEnds(before: Buffer, now: Buffer): { head: number; tail: number } {
  const most = Math.min(before.length, now.length);
  const head = longest(most, (from, to) => before.subarray(from, to).equals(now.subarray(from, to)));
  const last = (bytes: Buffer, from: number, to: number): Buffer =>
    bytes.subarray(bytes.length - to, bytes.length - from);
  return { head, tail: longest(most - head, (from, to) => last(before, from, to).equals(last(now, from, to))) };
}

/** How far two texts agree, by halves: a comparison of many bytes at once costs as much as one of a few. */
function longest(most: number, agree: (from: number, to: number) => boolean): number {
  let [sure, open] = [0, most];
  while (sure < open) {
    const middle = Math.ceil((sure + open) / 2);
    if (agree(sure, middle)) sure = middle;
    else open = middle - 1;
  }
  return sure;
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Without calls there is no file: one that lies there is none of ours. */
export async function writeCalls(dir: string, trace: string, calls: TrialCalls | undefined): Promise<void> {
  const path = join(dir, callsPath(trace));
  if (calls === undefined) await rm(path, { force: true });
  else await writeFile(path, `${JSON.stringify(calls)}\n`);
}

/** Stored next to the trace. */
export function callsPath(trace: string): string {
  return trace.replace(/\.jsonl$/, '.calls.json');
}
