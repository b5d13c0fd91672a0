/** Transcripts on disk: one JSONL file an agent, appended to, and safe against a line that was torn by a crash. */
import { open, readFile, type FileHandle, stat } from 'node:fs/promises';
import { join, dirname } from 'node:path';
import { HarnessError, usageError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Transcripts } from '../../ports/run-store.ts';
import { Entry } from '../../transcript/entry.ts';
import { CallRecord, deriveCallRecords, foldCalls, type EntryTimes } from '../../transcript/call-record.ts';
import { syncFolder, atomicWrite } from '../../disk/atomic-write.ts';
import { makeFolders, refuseLinks, confinePath } from '../../disk/confine.ts';
import { onDisk, valueOnErrno } from '../../disk/disk-fault.ts';
import { parseFile } from '../../disk/parse-file.ts';
import { createSerialQueue } from '../../disk/serial-queue.ts';
import { z } from 'zod';
import type { Images } from '../../ports/images.ts';
import { sha256 } from '../../disk/sha256.ts';

const CALLS = 'calls.jsonl';
/** Times in runs that are older than the records of calls. */
const TIMES = 'times.json';
const Stored = z.looseObject({ id: z.string(), step: z.string().optional() });
const AGENT = /^[a-z][a-z0-9-]{0,63}$/;

/** The file's size and ids after our last write: while the size is the same, the file need not be read again. */
type OpenTranscript = { bytes: number; ids: Set<string> };

export function openFileTranscripts(runDir: string): Transcripts {
  const folder = join(runDir, 'transcripts');
  const inTurn = createSerialQueue();
  const held = new Map<string, OpenTranscript>();

  const pathOf = async (agent: string, ending = 'jsonl'): Promise<string> => {
    if (!AGENT.test(agent))
      throw usageError(`${JSON.stringify(agent)} is no agent's name: expected small letters, digits, dashes.`);
    const path = join(folder, `${agent}.${ending}`);
    await refuseLinks(runDir, path);
    return path;
  };

  const linesOf = openLineReader(Entry, pathOf);
  const entriesOf = async (agent: string): Promise<Entry[]> => dropDuplicates(await linesOf(agent));

  return {
    images: openFileImages(runDir),
    read: (agent) => onDisk(`Reading the transcript of ${agent}`, () => entriesOf(agent)),
    stored: (agent) =>
      onDisk(`Reading the transcript of ${agent}`, async () => {
        const bytes = await readBytes(await pathOf(agent));
        return dropDuplicates(parseLines(completeLines(bytes), Stored, formatFileName(agent)));
      }),
    publish: (agent, entries) =>
      onDisk(`Writing the transcript of ${agent}`, () =>
        inTurn(async () => {
          const path = await pathOf(agent);
          await makeFolders(runDir, folder);
          held.set(agent, await appendEntries({ path, agent }, entries, held.get(agent)));
          await syncFolder(folder);
        }),
      ),
    ...openCalls({ pathOf, entriesOf, inTurn, prepare: () => makeFolders(runDir, folder) }),
  };
}

type CallFiles = {
  pathOf: (agent: string, ending?: string) => Promise<string>;
  entriesOf: (agent: string) => Promise<Entry[]>;
  inTurn: ReturnType<typeof createSerialQueue>;
  prepare: () => Promise<void>;
};

function openCalls({ pathOf, entriesOf, inTurn, prepare }: CallFiles): Pick<Transcripts, 'calls' | 'record'> {
  const linesOf = openLineReader(CallRecord, pathOf, CALLS);
  return {
    calls: (agent) =>
      onDisk(`Reading the calls of ${agent}`, async () => {
        const calls = foldCalls(await linesOf(agent));
        const times = await readTimes(await pathOf(agent, TIMES), formatFileName(agent, TIMES));
        const steps = new Set(calls.map(({ step }) => step));
        const before = (await entriesOf(agent)).filter(({ step }) => !steps.has(step));
        return [...deriveCallRecords(before, agent, times), ...calls.map((call) => withAnswerDate(call, times))];
      }),
    record: (agent, calls) =>
      onDisk(`Writing the calls of ${agent}`, () =>
        inTurn(async () => {
          const path = await pathOf(agent, CALLS);
          await prepare();
          await appendCalls(path, calls);
        }),
      ),
  };
}

/** A line that a crash has torn is kept apart, because the next record begins after a line break. */
async function appendCalls(path: string, calls: readonly CallRecord[]): Promise<void> {
  const file = await open(path, 'a+');
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    const whole = bytesRead === 0 || buffer[0] === 0x0a;
    if (!whole) await file.truncate(completeLines(await readFile(path)).length);
    await file.appendFile(calls.map((call) => `${JSON.stringify(call)}\n`).join(''));
  } finally {
    await file.close();
  }
}

/** Keeps the lines that end with a newline; text after the last newline was torn by a crash. */
function completeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
}

/** Reads the lines of an agent's file: when it still begins with the bytes of the last read, only the rest is parsed. */
function openLineReader<One>(schema: z.ZodType<One>, pathOf: CallFiles['pathOf'], ending = 'jsonl') {
  const known = new Map<string, { bytes: Buffer; lines: One[] }>();
  return async (agent: string): Promise<One[]> => {
    const bytes = completeLines(await readBytes(await pathOf(agent, ending)));
    const last = known.get(agent);
    const isGrown = last?.bytes.equals(bytes.subarray(0, last.bytes.length)) === true;
    const before = isGrown ? last : { bytes: Buffer.alloc(0), lines: [] };
    const rest = bytes.subarray(before.bytes.length);
    const more = parseLines(rest, schema, formatFileName(agent, ending), before.lines.length);
    const lines = more.length === 0 ? before.lines : [...before.lines, ...more];
    known.set(agent, { bytes, lines });
    return lines;
  };
}

const readBytes = (path: string): Promise<Buffer> => valueOnErrno('ENOENT', Buffer.alloc(0), readFile(path));

const formatFileName = (agent: string, ending = 'jsonl'): string => `transcripts/${agent}.${ending}`;

/** `after`: the number of lines before these. */
// oxlint-disable-next-line max-params -- where the lines stand is for the message alone
function parseLines<One>(bytes: Buffer, schema: z.ZodType<One>, name: string, after = 0): One[] {
  const lines = bytes.toString('utf8').split('\n').slice(0, -1);
  return lines.map((line, index) => parseFile(schema, line, `${name} line ${after + index + 1}`));
}

/** Two writers may both have appended an entry; only its first copy counts. */
function dropDuplicates<One extends { id: string }>(lines: readonly One[]): One[] {
  const entries = new Map<string, One>();
  for (const entry of lines) if (!entries.has(entry.id)) entries.set(entry.id, entry);
  return [...entries.values()];
}

async function appendEntries(
  { path, agent }: { path: string; agent: string },
  entries: readonly Entry[],
  before?: OpenTranscript,
): Promise<OpenTranscript> {
  const file = await open(path, 'a+');
  try {
    const { size } = await file.stat();
    const ids = new Set(before?.bytes === size ? before.ids : await readIds(file, agent));
    const missing = entries.filter(({ id }) => !ids.has(id));
    if (missing.length > 0) await file.appendFile(missing.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    await file.sync();
    return { bytes: (await file.stat()).size, ids: new Set([...ids, ...missing.map(({ id }) => id)]) };
  } finally {
    await file.close();
  }
}

/** Reads the ids and repairs the file: a torn last line is cut off, so that the next entry begins a new line. */
async function readIds(file: FileHandle, agent: string): Promise<string[]> {
  const bytes = await file.readFile();
  const sound = completeLines(bytes);
  const ids = parseLines(sound, Stored, formatFileName(agent)).map(({ id }) => id);
  if (sound.length < bytes.length) await file.truncate(sound.length);
  return ids;
}

/** When an entry had two times, the longer one was stored; of two dates, the first. */
const Times = z.strictObject({
  version: z.literal(1),
  ms: z.record(z.string(), z.int().nonnegative()),
  at: z.record(z.string(), z.iso.datetime()).default({}),
});
type Times = Required<EntryTimes>;

async function readTimes(path: string, name: string): Promise<Times> {
  const text = await valueOnErrno('ENOENT', undefined, readFile(path, 'utf8'));
  return text === undefined ? { ms: {}, at: {} } : parseFile(Times, text, name);
}

/** Old records have no date of the answer, so the entry's date is used. */
function withAnswerDate(call: CallRecord, { at }: Times): CallRecord {
  const answeredAt = call.answeredAt ?? (call.entry === undefined ? undefined : at[call.entry]);
  return { ...call, ...omitUndefined({ answeredAt }) };
}

const NAME = /^[0-9a-f]{64}$/;

/** Images on disk: `transcripts/images/<sha256>`, written once, and checked against their name at every read. */
export function openFileImages(runDir: string): Images {
  const pathOf = async (name: string): Promise<string> => {
    if (!NAME.test(name)) throw createImageError(name, 'that is no hash of an image');
    const path = confinePath(runDir, `transcripts/images/${name}`);
    await refuseLinks(runDir, path);
    return path;
  };
  return {
    keep: (data) =>
      onDisk('Keeping an image', async () => {
        const bytes = Buffer.from(data, 'base64');
        const name = sha256(bytes);
        const path = await pathOf(name);
        const there = await valueOnErrno('ENOENT', undefined, stat(path));
        if (there?.size !== bytes.length) {
          await makeFolders(runDir, dirname(path));
          await atomicWrite(path, bytes);
        }
        return { sha256: name, bytes: bytes.length };
      }),
    load: (name) =>
      onDisk(`Reading image ${name}`, async () => {
        const bytes = await valueOnErrno('ENOENT', undefined, readFile(await pathOf(name)));
        if (bytes === undefined) throw createImageError(name, 'it is not there');
        if (sha256(bytes) !== name) throw createImageError(name, 'it holds other bytes than it did');
        return bytes.toString('base64');
      }),
  };
}

function createImageError(name: string, why: string): HarnessError {
  const message = `transcripts/images/${name}: ${why}. Copy the file from where the run folder came from, or start a new run.`;
  return new HarnessError('data_corrupt', message, { details: { image: name } });
}
