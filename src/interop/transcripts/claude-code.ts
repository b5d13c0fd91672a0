/** Reads a session file of Claude Code: JSONL whose lines wrap Messages blocks, a streamed response in several pieces. */
import { z } from 'zod';
import { omitUndefined } from '../../omit-undefined.ts';
import { isJsonObject } from '../../scenario/json/json-value.ts';
import { readUsage } from './blocks.ts';
import { readBlocks, recordedAt, type FileRecord, type ImportedItem, type ParsedRecording } from './imported-item.ts';
import { userItems } from './messages.ts';
import { KnownStopReason } from '../../transcript/message.ts';

const SessionLine = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  uuid: z.string().optional(),
  parentUuid: z.string().nullish(),
  logicalParentUuid: z.string().nullish(),
  isApiErrorMessage: z.boolean().optional(),
  isSidechain: z.boolean().optional(),
  isMeta: z.boolean().optional(),
  isCompactSummary: z.boolean().optional(),
  timestamp: z.unknown().optional(),
  compactMetadata: z.looseObject({ preTokens: z.number().optional() }).optional(),
  message: z
    .looseObject({
      id: z.string().optional(),
      role: z.string().optional(),
      content: z.unknown().optional(),
      model: z.string().optional(),
      stop_reason: z.unknown().optional(),
      usage: z.unknown().optional(),
    })
    .optional(),
});
type SessionLine = z.infer<typeof SessionLine>;

export function isClaudeCode(value: unknown): boolean {
  const line = z.looseObject({ type: z.string(), sessionId: z.string().optional(), uuid: z.string().optional() });
  const read = line.safeParse(value);
  if (!read.success) return false;
  return read.data.type === 'file-history-snapshot' || (read.data.sessionId ?? read.data.uuid) !== undefined;
}

/** `parent`: the id of the line before; null at the beginning, undefined where the file does not say it. */
type ReadLine = {
  line: number;
  id: string | undefined;
  parent: string | null | undefined;
  content: SessionLine['message'];
  data: SessionLine;
};

/** Reads the conversation that was really had: the file also keeps what a person took back, and lines written twice. */
export function readClaudeCode(records: readonly FileRecord[]): ParsedRecording {
  const read: ParsedRecording = { items: [], system: [], notes: [] };
  const all: ReadLine[] = [];
  for (const { line, value } of records) {
    const parsed = SessionLine.safeParse(value);
    if (parsed.success) all.push(toReadLine(line, parsed.data));
    else read.notes.push({ line, text: 'no line of a session: left out' });
  }
  const leaveOut = (lines: readonly ReadLine[], what: string, isLeft: (line: ReadLine) => boolean): ReadLine[] => {
    const left = new Set(lines.filter(isLeft));
    const [first] = left;
    if (first !== undefined) read.notes.push({ line: first.line, text: `${left.size} ${what}: left out` });
    return lines.filter((line) => !left.has(line));
  };
  const isAside = ({ data }: ReadLine) => data.isSidechain === true;
  // A file whose lines are all of a sub-agent is the conversation of that agent.
  const isWhole = all.every((one) => isAside(one) || one.content === undefined);
  const own = isWhole ? all : leaveOut(all, 'lines of sub-agents', isAside);
  // Titles and records of files may follow the last message, and have no place in the tree.
  const told = own.slice(0, own.findLastIndex(({ content }) => content !== undefined) + 1);
  const once = leaveOut(told, 'lines that were written twice', createRepeatFinder());
  const had = followParents(once);
  const parts = new Set([...had, ...findParts(once, had)]);
  const kept = once.filter((line) => parts.has(line) || line.content !== undefined);
  const branch = leaveOut(kept, 'lines of branches that were taken back', (line) => !parts.has(line));
  for (const { line, data } of leaveOut(branch, 'errors of the API', isNoAnswer))
    read.items.push(...toItems(line, data, read));
  return read;
}

function toReadLine(line: number, data: SessionLine): ReadLine {
  const { uuid: id, message, subtype, logicalParentUuid } = data;
  // A compaction begins a tree of its own, and older versions do not say what came before it.
  const parent = subtype === 'compact_boundary' ? (logicalParentUuid ?? undefined) : data.parentUuid;
  return { line, id, parent, content: message, data };
}

/** Tells for each line whether an earlier one has the same id and the same content. */
function createRepeatFinder(): (line: ReadLine) => boolean {
  const seen = new Set<string>();
  return ({ id, content }) => {
    const key = `${id} ${JSON.stringify(content)}`;
    const isRepeat = id !== undefined && content !== undefined && seen.has(key);
    seen.add(key);
    return isRepeat;
  };
}

/** Goes back from the last line. A parent that is not in the file, as in one that was put together, is the line before. */
function followParents(lines: readonly ReadLine[]): ReadonlySet<ReadLine> {
  const places = new Map(lines.map(({ id }, place) => [id, place]));
  const had = new Set<ReadLine>();
  for (let place = lines.length - 1; place >= 0;) {
    const line = lines[place];
    if (line === undefined) break;
    had.add(line);
    if (line.parent === null) break;
    const parent = line.parent === undefined ? undefined : places.get(line.parent);
    place = parent !== undefined && parent < place ? parent : place - 1;
  }
  return had;
}

/** The recorder writes an error of the API, or a turn that was stopped, as if the model had said it. */
function isNoAnswer({ data }: ReadLine): boolean {
  return data.type === 'assistant' && (data.isApiErrorMessage === true || data.message?.model === '<synthetic>');
}

/** Pieces of one response, and the results of its calls, stand beside each other in the tree. */
function findParts(lines: readonly ReadLine[], had: ReadonlySet<ReadLine>): ReadLine[] {
  const responses = new Set([...had].map(({ data }) => data.message?.id));
  const pieces = lines.filter(({ data }) => data.message?.id !== undefined && responses.has(data.message.id));
  const calls = new Set([...had, ...pieces].flatMap(({ data }) => listIds(data.message?.content, 'id')));
  const isResult = ({ data }: ReadLine) => listIds(data.message?.content, 'tool_use_id').some((id) => calls.has(id));
  return [...pieces, ...lines.filter(isResult)];
}

function listIds(content: unknown, field: 'id' | 'tool_use_id'): string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => {
    const id = isJsonObject(block) ? block[field] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}

function toItems(line: number, data: SessionLine, read: ParsedRecording): ImportedItem[] {
  if (data.subtype === 'compact_boundary')
    return [{ kind: 'compacted', line, ...omitUndefined({ tokensBefore: data.compactMetadata?.preTokens }) }];
  const { message } = data;
  // The recorder's own summary repeats messages that are all in the file.
  if (message === undefined || data.isCompactSummary === true) return [];
  const blocks = readBlocks(message.content, line, read.notes);
  const at = recordedAt(line, data.timestamp);
  if (data.type === 'assistant') {
    const { id: key, model } = message;
    const stopReason = KnownStopReason.safeParse(message.stop_reason).data;
    const optional = omitUndefined({ model, stopReason, usage: readUsage(message.usage) });
    return [{ kind: 'answer', ...at, key, blocks, ...optional }];
  }
  if (data.type !== 'user') return [];
  // Beside results this recorder puts reminders of its own.
  const isAside = data.isMeta === true || blocks.some(({ type }) => type === 'tool_result');
  return userItems(at, blocks).map((item) =>
    item.kind === 'said' && isAside ? { ...item, origin: 'reminder' } : item,
  );
}
