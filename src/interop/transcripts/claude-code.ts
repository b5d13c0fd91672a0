/** Reads a session file of Claude Code: JSONL whose lines wrap Messages blocks, a streamed response in several pieces. */
import { z } from 'zod';
import { readContent, readUsage } from './blocks.ts';
import { timeOf } from './item.ts';
import type { FileRecord, ImportedItem, ParsedRecording } from './item.ts';
import { userItems } from './messages.ts';
import { StopReason } from '../../transcript/message.ts';
import type { Block } from '../../transcript/message.ts';

const Line = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
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
type Line = z.infer<typeof Line>;

export function isClaudeCode(value: unknown): boolean {
  const line = z.looseObject({ type: z.string(), sessionId: z.string().optional(), uuid: z.string().optional() });
  const read = line.safeParse(value);
  if (!read.success) return false;
  return read.data.type === 'file-history-snapshot' || (read.data.sessionId ?? read.data.uuid) !== undefined;
}

export function readClaudeCode(records: readonly FileRecord[]): ParsedRecording {
  const read: ParsedRecording = { items: [], system: [], notes: [] };
  const aside: number[] = [];
  for (const { line, value } of records) {
    const parsed = Line.safeParse(value);
    if (!parsed.success) read.notes.push({ line, text: 'no line of a session: left out' });
    else if (parsed.data.isSidechain === true) aside.push(line);
    else read.items.push(...itemsOf(line, parsed.data, read));
  }
  const [first] = aside;
  if (first !== undefined) read.notes.push({ line: first, text: `${aside.length} lines of sub-agents: left out` });
  return read;
}

function itemsOf(line: number, data: Line, read: ParsedRecording): ImportedItem[] {
  if (data.subtype === 'compact_boundary') {
    const tokensBefore = data.compactMetadata?.preTokens;
    return [{ kind: 'compacted', line, ...(tokensBefore === undefined ? {} : { tokensBefore }) }];
  }
  // The recorder's own summary stands for messages that are all in the file.
  if (data.message === undefined || data.isCompactSummary === true) return [];
  const { blocks, unknown } = readContent(data.message.content);
  if (unknown.length > 0)
    read.notes.push({ line, text: `left out: ${[...new Set(unknown)].join(', ').slice(0, 200)}` });
  const atMs = timeOf(data.timestamp);
  const time = atMs === undefined ? {} : { atMs };
  if (data.type === 'assistant') return [answerOf(line, data.message, blocks, time)];
  if (data.type !== 'user') return [];
  return userItems(line, blocks, time).map((item) =>
    item.kind === 'said' && data.isMeta === true ? { ...item, origin: 'reminder' } : item,
  );
}

function answerOf(
  line: number,
  message: NonNullable<Line['message']>,
  blocks: Block[],
  time: { atMs?: number },
): ImportedItem {
  const usage = readUsage(message.usage);
  const stop = StopReason.safeParse(message.stop_reason);
  return {
    kind: 'answer',
    line,
    key: message.id,
    blocks,
    ...(message.model === undefined ? {} : { model: message.model }),
    ...(stop.success ? { stopReason: stop.data } : {}),
    ...(usage === undefined ? {} : { usage }),
    ...time,
  };
}
