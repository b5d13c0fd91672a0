/** Reads a session file of Claude Code: JSONL whose lines wrap Messages blocks, a streamed response in several pieces. */
import { z } from 'zod';
import { omitUndefined } from '../../omit-undefined.ts';
import { readUsage } from './blocks.ts';
import { readBlocks, recordedAt, type FileRecord, type ImportedItem, type ParsedRecording } from './imported-item.ts';
import { userItems } from './messages.ts';
import { KnownStopReason } from '../../transcript/message.ts';

const SessionLine = z.looseObject({
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
type SessionLine = z.infer<typeof SessionLine>;

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
    const parsed = SessionLine.safeParse(value);
    if (!parsed.success) read.notes.push({ line, text: 'no line of a session: left out' });
    else if (parsed.data.isSidechain === true) aside.push(line);
    else read.items.push(...toItems(line, parsed.data, read));
  }
  const [first] = aside;
  if (first !== undefined) read.notes.push({ line: first, text: `${aside.length} lines of sub-agents: left out` });
  return read;
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
  return userItems(at, blocks).map((item) =>
    item.kind === 'said' && data.isMeta === true ? { ...item, origin: 'reminder' } : item,
  );
}
