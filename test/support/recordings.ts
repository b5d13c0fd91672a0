/** Where recordings of other harnesses lie: our own runs in their shapes, and the real ones, which are no part of the repository. */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { importTranscript } from '../../src/interop/transcripts/import.ts';
import { readNamedText } from '../../src/disk/read-named-file.ts';
import { parseRecorded, type RecordedFile } from '../../src/interop/tau/runs/read-recorded.ts';
import { toClaudeCode } from './pi-sessions.ts';
import { rejudge, type RejudgedTauSet } from '../../src/interop/tau/runs/rejudge.ts';

/** Made by `tools/fixtures.ts`: everyday tests read these. */
export const FIXTURES = 'test/fixtures/recordings';
/** Real recordings, optional: for the `recordings` project alone: `.ci/run` runs it where they are. */
export const RECORDINGS = process.env['TANDEM_RECORDINGS'] ?? '../shared/data';
export const REAL_RUNS = `${RECORDINGS}/tau`;
export const REAL_SESSIONS = `${RECORDINGS}/transcripts`;

/** Names of the files of recorded runs in a folder. */
export function runFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => /^tau.*\.gz$/.test(name));
}

/** Reads a file of recorded runs, plain or gzipped, as the commands do. */
export async function readRecorded(path: string, shown: string): Promise<RecordedFile> {
  return parseRecorded(await readNamedText(path, shown, { mayBeTorn: true }), shown);
}

export function readSet(folder: string, name: string): Promise<RecordedFile> {
  return readRecorded(`${folder}/${name}`, name);
}

export async function rejudgeSet(folder: string, name: string): Promise<RejudgedTauSet> {
  return rejudge(name, await readSet(folder, name));
}

/** A session file of another harness, read by the importer. */
export function readSession(folder: string, name: string): ReturnType<typeof importTranscript> {
  const text = gunzipSync(readFileSync(`${folder}/${name}.jsonl.gz`)).toString('utf8');
  return importTranscript(name.startsWith('pi') ? toClaudeCode(text) : text, name);
}
