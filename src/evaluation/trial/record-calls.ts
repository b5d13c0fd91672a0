/** Records the bytes of a trial's model calls: a conversation repeats what came before, and each piece of it is stored once. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { sha256 } from '../../disk/sha256.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { WireExchange, Model } from '../../ports/model.ts';
import type { SubjectHost } from '../../ports/subject.ts';
import type { TrialCalls } from '../../scenario/trial-calls.ts';
import { callsPath, writeText } from './trace-file.ts';
import { replaceModels, type ParticipantSources } from './trial-participants.ts';

const compress = promisify(zstdCompress);

export type TrialCallRecorder = {
  /** Returns the same sources with models whose calls are recorded. */
  over: <Sources extends ParticipantSources>(sources: Sources) => Sources;
  /** Undefined when nobody called a model. */
  done: () => Promise<TrialCalls | undefined>;
};

type OneCall = TrialCalls['calls'][number];

export function recordCalls(): TrialCallRecorder {
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
  const take = ({ by, tries }: OneCall, { request: text, status, answer }: WireExchange): void => {
    const request = Buffer.from(text);
    const { head, tail } = sharedEnds(before.get(by) ?? Buffer.alloc(0), request);
    before.set(by, request);
    const own = request.subarray(head, request.length - tail);
    tries.push({
      ...omitUndefined({ status }),
      request: { bytes: request.length, sha256: sha256(request), head, tail },
      answer: { bytes: answer.length, sha256: sha256(answer) },
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
      const onExchange = (exchange: WireExchange): void => take((call ??= begin('subject')), exchange);
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
    over: (sources) => ({
      ...replaceModels(sources, heard),
      ...(sources.host && { host: host(sources.host) }),
    }),
    done: async () => {
      if (calls.length === 0) return undefined;
      const bytes = Buffer.concat(pieces);
      const packed = size > MOST_STORED ? await compress(bytes) : storeInFrame(bytes);
      return { version: 1, calls, zstd: packed.toString('base64') };
    },
  };
}

/** To compress fewer bytes than this costs more time than it saves room: a file takes 4 KB anyway. */
const MOST_STORED = 2048;

/** A zstd frame of one block that is not compressed (RFC 8878, 3.1.1): its start, the size, and the block's header. */
function storeInFrame(bytes: Buffer): Buffer {
  const head = Buffer.from('28b52ffda000000000000000', 'hex');
  head.writeUInt32LE(bytes.length, 5);
  head.writeUIntLE((bytes.length << 3) | 1, 9, 3);
  return Buffer.concat([head, bytes]);
}

function sharedEnds(before: Buffer, now: Buffer): { head: number; tail: number } {
  const most = Math.min(before.length, now.length);
  const head = countAgreeing(most, (from, to) => before.subarray(from, to).equals(now.subarray(from, to)));
  const last = (bytes: Buffer, from: number, to: number): Buffer =>
    bytes.subarray(bytes.length - to, bytes.length - from);
  return { head, tail: countAgreeing(most - head, (from, to) => last(before, from, to).equals(last(now, from, to))) };
}

/** Counts agreeing bytes by binary search, because comparing many bytes at once costs as much as a few. */
function countAgreeing(most: number, agree: (from: number, to: number) => boolean): number {
  let [sure, open] = [0, most];
  while (sure < open) {
    const middle = Math.ceil((sure + open) / 2);
    if (agree(sure, middle)) sure = middle;
    else open = middle - 1;
  }
  return sure;
}

/** Writes the calls; without calls it removes the file of an earlier try. */
export async function writeCalls(dir: string, trace: string, calls: TrialCalls | undefined): Promise<void> {
  const path = join(dir, callsPath(trace));
  // Asking costs far less than removing a file that nearly never exists.
  if (calls === undefined) await (existsSync(path) ? rm(path, { force: true }) : undefined);
  else writeText(path, `${JSON.stringify(calls)}\n`);
}
