/** Reads a session file of the pi coding agent: JSONL with tool results as messages of their own. */
import { z } from 'zod';
import { readContent, readUsage, resultOf } from './blocks.ts';
import { timeOf } from './item.ts';
import type { FileRecord, ImportedItem, ParsedRecording } from './item.ts';

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
type Spoken = NonNullable<z.infer<typeof Line>['message']>;

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
    else if (parsed.data.type === 'compaction') {
      const { tokensBefore } = parsed.data;
      read.items.push({ kind: 'compacted', line, ...(tokensBefore === undefined ? {} : { tokensBefore }) });
    } else if (parsed.data.type === 'message' && parsed.data.message !== undefined)
      read.items.push(...itemsOf(line, parsed.data.message, read));
  }
  return read;
}

function itemsOf(line: number, message: Spoken, read: ParsedRecording): ImportedItem[] {
  const { blocks, unknown } = readContent(message.content);
  if (unknown.length > 0)
    read.notes.push({ line, text: `left out: ${[...new Set(unknown)].join(', ').slice(0, 200)}` });
  const atMs = timeOf(message.timestamp);
  const time = atMs === undefined ? {} : { atMs };
  switch (message.role) {
    case 'user':
      return [{ kind: 'said', line, origin: 'human', blocks, ...time }];
    case 'assistant': {
      const usage = readUsage(message.usage);
      const model = message.model === undefined ? {} : { model: message.model };
      return [
        { kind: 'answer', line, key: undefined, blocks, ...model, ...(usage === undefined ? {} : { usage }), ...time },
      ];
    }
    case 'toolResult':
      return [
        {
          kind: 'results',
          line,
          blocks: [resultOf(message.toolCallId ?? '', message.content, message.isError === true)],
          ...time,
        },
      ];
    case 'bashExecution': {
      const text = `Ran by the person: ${message.command ?? ''}\n${message.output ?? ''}`;
      return [{ kind: 'said', line, origin: 'human', blocks: [{ type: 'text', text }], ...time }];
    }
    default:
      read.notes.push({ line, text: `role ${JSON.stringify(message.role.slice(0, 40))} is not known: left out` });
      return [];
  }
}
