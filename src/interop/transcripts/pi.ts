/** Reads a session file of the pi coding agent: JSONL with tool results as separate messages. */
import { z } from 'zod';
import { omitUndefined } from '../../omit-undefined.ts';
import { readUsage, toResultBlock } from './blocks.ts';
import { readBlocks, recordedAt, type FileRecord, type ImportedItem, type ParsedRecording } from './imported-item.ts';

const Line = z.looseObject({
  type: z.string(),
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
  for (const { line, value } of records) {
    const parsed = Line.safeParse(value);
    if (!parsed.success) read.notes.push({ line, text: 'no line of a session: left out' });
    else if (parsed.data.type === 'compaction')
      read.items.push({ kind: 'compacted', line, ...omitUndefined({ tokensBefore: parsed.data.tokensBefore }) });
    else if (parsed.data.type === 'message' && parsed.data.message !== undefined)
      read.items.push(...toItems(line, parsed.data.message, read));
  }
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
