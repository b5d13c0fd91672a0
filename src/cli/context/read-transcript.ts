/** Reads a transcript file named on the command line, gzipped or not, from any harness. */
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { describeError, usageError } from '../../errors.ts';
import { importTranscript, type Imported } from '../../interop/transcripts/import.ts';

/** Limit for an unpacked gzip file: a longer text does not fit into one string. */
const MOST_BYTES = 400_000_000;

/** Throws `usage`, naming the file, when it cannot be read or holds no conversation. */
export async function readTranscript(path: string): Promise<Imported> {
  return importTranscript(await readText(path), path);
}

async function readText(path: string): Promise<string> {
  try {
    const bytes = await readFile(path);
    const gzipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return (gzipped ? gunzipSync(bytes, { maxOutputLength: MOST_BYTES }) : bytes).toString('utf8');
  } catch (cause) {
    throw usageError(`${path}: cannot be read: ${describeError(cause)}`, { cause });
  }
}
