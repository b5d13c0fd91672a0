/** Reads an Inspect log in its own format (`.eval`, a zip archive) as the same object as its JSON form. */
import { unzip } from '../../disk/unzip.ts';
import { HarnessError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../scenario/json/json-value.ts';
import { mapTexts, parseForeignJson, readJson } from '../foreign-text.ts';

/** A sample is one entry, or, when it is large, a folder with its lists in pieces. */
const WHOLE_SAMPLE = /^samples\/[^/]+\.json$/;
const SHELL = /^samples\/[^/]+\/sample\.json$/;
const ATTACHED = /^attachment:\/\/(\S+)$/;

/** The value of an entry; undefined when there is none that is JSON. */
type ReadEntry = (path: string) => unknown;

/** An interrupted log has no header yet, so the entry of its start is used instead. */
export function readEvalFile(bytes: Buffer, shown: string): JsonObject {
  const entries = new Map(unzip(bytes, shown).map((entry) => [entry.path, entry]));
  const textAt = (path: string): string | undefined => entries.get(path)?.read().toString('utf8');
  const headAt = (path: string): unknown => {
    const text = textAt(path);
    return text === undefined ? undefined : parseForeignJson(text, `${shown}#${path}`);
  };
  // A sample that cannot be read is left out; the others are worth having.
  const jsonAt: ReadEntry = (path) => {
    const read = readJson(textAt(path) ?? '');
    return 'value' in read ? read.value : undefined;
  };
  const started = headAt('_journal/start.json');
  const header = headAt('header.json') ?? (isJsonObject(started) ? { status: 'started', ...started } : undefined);
  if (!isJsonObject(header))
    throw new HarnessError('config_invalid', `${shown}: is an archive, and no log of Inspect: it has no header.json.`);
  const paths = [...entries.keys()];
  const samples = paths.flatMap((path) => {
    if (WHOLE_SAMPLE.test(path)) return [withAttachments(jsonAt(path))];
    return SHELL.test(path) ? [fromPieces(path.slice(0, -'sample.json'.length), paths, jsonAt)] : [];
  });
  return { ...header, samples };
}

/** Replaces references to attachments, in which long texts are stored by name. */
function withAttachments(sample: unknown): unknown {
  if (!isJsonObject(sample) || !isJsonObject(sample['attachments'])) return sample;
  const { attachments } = sample;
  return { ...sample, messages: resolveAttached(sample['messages'], (name) => attachments[name]) };
}

/** `message_refs`: the messages of the conversation, as half-open ranges. */
function fromPieces(folder: string, paths: readonly string[], jsonAt: ReadEntry): unknown {
  const shell = jsonAt(`${folder}sample.json`);
  if (!isJsonObject(shell)) return shell;
  const sequence = (name: string): unknown[] => joinPieces(`${folder}${name}/`, paths, jsonAt);
  const [all, attachments] = [sequence('messages'), sequence('attachments')];
  const refs = Array.isArray(shell['message_refs']) ? shell['message_refs'] : [[0, all.length]];
  const messages = refs.flatMap((range: unknown) => {
    const [start, end] = Array.isArray(range) ? (range as unknown[]) : [];
    return typeof start === 'number' && typeof end === 'number' ? all.slice(start, end) : [];
  });
  const found = jsonAt(`${folder}metadata.json`);
  const metadata = found === undefined ? {} : { metadata: found };
  return { ...shell, ...metadata, messages: resolveAttached(messages, (name) => attachments[Number(name)]) };
}

/** Joins pieces, which are named by the number of their first item. */
function joinPieces(folder: string, paths: readonly string[], jsonAt: ReadEntry): unknown[] {
  const starts = paths.flatMap((path) => {
    const start = path.startsWith(folder) ? /^(\d+)\.json$/.exec(path.slice(folder.length))?.[1] : undefined;
    return start === undefined ? [] : [Number(start)];
  });
  return starts
    .toSorted((a, b) => a - b)
    .flatMap((start) => {
      const piece = jsonAt(`${folder}${start}.json`);
      return Array.isArray(piece) ? (piece as unknown[]) : [];
    });
}

function resolveAttached(value: unknown, find: (name: string) => unknown): unknown {
  return mapTexts(value, (text) => {
    const name = ATTACHED.exec(text)?.[1];
    return name === undefined ? text : (find(name) ?? text);
  });
}
