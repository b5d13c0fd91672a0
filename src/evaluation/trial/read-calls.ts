/** Unpacks the bytes of a trial's model calls, and proves each by its digest. */
import { zstdDecompressSync } from 'node:zlib';
import { parseFile } from '../../disk/parse-file.ts';
import { sha256 } from '../../disk/sha256.ts';
import { HarnessError, describeError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { TrialCalls } from '../../scenario/trial-calls.ts';
import { callsPath } from './trace-file.ts';

/** `tries` is empty where nothing was sent: the answer was remembered, or came from a recording. */
export type ReadCall = {
  by: string;
  step: number;
  tries: { status?: number; request: Buffer; answer: Buffer }[];
};

/** The most unpacked bytes, because the size in the file cannot be trusted. */
const MOST_BYTES = 512 * 1024 * 1024;

/** Returns the packed calls, or undefined when none were recorded. `read` gets the path of the calls file. */
export async function findCalls(
  trace: string,
  read: (path: string) => Promise<string | undefined>,
): Promise<TrialCalls | undefined> {
  const path = callsPath(trace);
  const text = path === trace ? undefined : await read(path);
  return text === undefined ? undefined : parseFile(TrialCalls, text, path);
}

/** `shown` names the file. Contract: byte for byte what was sent and came back, or `data_corrupt`. */
export function readCalls({ calls, zstd }: TrialCalls, shown: string): ReadCall[] {
  const packed = unpackCalls(zstd, shown);
  const before = new Map<string, Buffer>();
  return calls.map(({ by, step, tries }, index) => ({
    by,
    step,
    tries: tries.map(({ status, request: { head, tail, ...sent }, answer, at }) => {
      const place = `${shown}, call ${index + 1}`;
      const earlier = before.get(by) ?? Buffer.alloc(0);
      const from = at + sent.bytes - head - tail;
      if (head + tail > Math.min(sent.bytes, earlier.length))
        throw new HarnessError('data_corrupt', `${place}: names more of the request before than there is.`);
      const own = [earlier.subarray(0, head), packed.subarray(at, from), earlier.subarray(earlier.length - tail)];
      const request = checkDigest(Buffer.concat(own), sent, `${place}, request`);
      before.set(by, request);
      const answered = checkDigest(packed.subarray(from, from + answer.bytes), answer, `${place}, answer`);
      return { ...omitUndefined({ status }), request, answer: answered };
    }),
  }));
}

function unpackCalls(zstd: string, shown: string): Buffer {
  try {
    return zstdDecompressSync(Buffer.from(zstd, 'base64'), { maxOutputLength: MOST_BYTES });
  } catch (error) {
    throw new HarnessError('data_corrupt', `${shown}: cannot be unpacked: ${describeError(error)}`, { cause: error });
  }
}

function checkDigest(bytes: Buffer, recorded: { bytes: number; sha256: string }, place: string): Buffer {
  if (bytes.length === recorded.bytes && sha256(bytes) === recorded.sha256) return bytes;
  throw new HarnessError('data_corrupt', `${place}: is not what was recorded.`);
}
