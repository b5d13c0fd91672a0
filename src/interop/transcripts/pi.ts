/** Reads a session file of the pi coding agent: JSONL with tool results as separate messages. */
import { z } from 'zod';
import { omitUndefined } from '../../omit-undefined.ts';
import { readUsage, toResultBlock } from './blocks.ts';
import { addCountNote, leaveRepeated, leaveRewound, type TreeLine } from './branch.ts';
import { readBlocks, recordedAt, type FileRecord, type ImportedItem, type ParsedRecording } from './imported-item.ts';

const Line = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  parentId: z.string().nullish(),
  tokensBefore: z.number().optional(),
  message: z
    .looseObject({
      role: z.string(),
      content: z.unknown().optional(),
      model: z.string().optional(),
      usage: z.unknown().optional(),
      timestamp: z.unknown().optional(),
      toolCallId: z.string().optional(),
      isError: z.boolean().optional(),
      stopReason: z.unknown().optional(),
      command: z.string().optional(),
      output: z.string().optional(),
    })
    .optional(),
});
type PiMessage = NonNullable<z.infer<typeof Line>['message']>;

export function isPi(value: unknown): boolean {
  const line = z.looseObject({ type: z.string(), message: z.looseObject({ role: z.string() }).optional() });
  const read = line.safeParse(value);
  if (!read.success) return false;
  const { type, message } = read.data;
  return type === 'session' || (type === 'message' && message !== undefined && read.data['lane'] === undefined);
}

export function readPi(records: readonly FileRecord[]): ParsedRecording {
  const read: ParsedRecording = { items: [], system: [], notes: [] };
  const all: (TreeLine & { data: z.infer<typeof Line> })[] = [];
  for (const { line, value } of records) {
    const parsed = Line.safeParse(value);
    if (!parsed.success) read.notes.push({ line, text: 'no line of a session: left out' });
    else
      all.push({
        line,
        id: parsed.data.id,
        parent: parsed.data.parentId,
        content: parsed.data.message,
        data: parsed.data,
      });
  }
  const errors: number[] = [];
  for (const { line, data } of leaveRewound(leaveRepeated(all, read.notes), read.notes)) {
    const { type, message, tokensBefore } = data;
    if (type === 'compaction') read.items.push({ kind: 'compacted', line, ...omitUndefined({ tokensBefore }) });
    else if (message?.stopReason === 'error') errors.push(line);
    else if (type === 'message' && message !== undefined) read.items.push(...toItems(line, message, read));
  }
  addCountNote(read.notes, errors, 'errors of the API');
  return read;
}

function toItems(line: number, message: PiMessage, read: ParsedRecording): ImportedItem[] {
  const blocks = readBlocks(message.content, line, read.notes);
  const at = recordedAt(line, message.timestamp);
  switch (message.role) {
    case 'user':
      return [{ kind: 'said', ...at, origin: 'human', blocks }];
    case 'assistant': {
      const { model } = message;
      const optional = omitUndefined({ model, usage: readUsage(message.usage) });
      return [{ kind: 'answer', ...at, key: undefined, blocks, ...optional }];
    }
    case 'toolResult': {
      const result = toResultBlock(message.toolCallId ?? '', message.content, message.isError === true);
      return [{ kind: 'results', ...at, blocks: [result] }];
    }
    case 'bashExecution': {
      const text = `Ran by the person: ${message.command ?? ''}\n${message.output ?? ''}`;
      return [{ kind: 'said', ...at, origin: 'human', blocks: [{ type: 'text', text }] }];
    }
    default:
      read.notes.push({ line, text: `role ${JSON.stringify(message.role.slice(0, 40))} is not known: left out` });
      return [];
  }
}
