/** Reads lists of messages of the Messages API and of OpenAI's chat API; the form is detected per message. */
import { z } from 'zod';
import { omitUndefined } from '../../omit-undefined.ts';
import { isJsonObject, type JsonObject } from '../../scenario/json/json-value.ts';
import { toCallBlocks, readContent, readUsage, toResultBlock } from './blocks.ts';
import type { FileRecord, ImportedItem, ImportNote, ParsedRecording, RecordedAt } from './imported-item.ts';
import { readBlocks, recordedAt } from './imported-item.ts';
import type { Block } from '../../transcript/message.ts';

const ChatMessage = z.looseObject({ role: z.string(), content: z.unknown().optional() });
type ChatMessage = z.infer<typeof ChatMessage>;

/** System messages before the conversation are its system prompt; later ones keep their place. */
export function readMessages(records: readonly FileRecord[], whole: unknown): ParsedRecording {
  const read: ParsedRecording = { items: [], system: readSystemPrompt(whole), notes: [] };
  for (const { line, value } of records) {
    const message = ChatMessage.safeParse(value);
    if (message.success) readOne(line, message.data, read);
    else read.notes.push({ line, text: 'no message: expected an object with `role`' });
  }
  return read;
}

function readOne(line: number, message: ChatMessage, { items, system, notes }: ParsedRecording): void {
  // Some tools answer with an object in place of its JSON.
  const content = isJsonObject(message.content) ? JSON.stringify(message.content) : message.content;
  const blocks = readBlocks(content, line, notes);
  const at = recordedAt(line, message['timestamp'] ?? message['created']);
  switch (message.role) {
    case 'system':
    case 'developer':
      if (items.length === 0) system.push(...blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])));
      else items.push({ kind: 'said', ...at, origin: 'reminder', blocks });
      return;
    case 'assistant': {
      const model = typeof message['model'] === 'string' ? message['model'] : undefined;
      const optional = omitUndefined({ model, usage: readUsage(message['usage']) });
      const all = [...blocks, ...openAiCalls(line, message, notes)];
      return void items.push({ kind: 'answer', ...at, key: undefined, blocks: all, ...optional });
    }
    case 'tool':
    case 'function': {
      const id = message['tool_call_id'] ?? message['name'] ?? message['id'];
      const failed = message['is_error'] === true || message['error'] === true;
      if (typeof id !== 'string') return void notes.push({ line, text: 'a result that names no call: left out' });
      return void items.push({ kind: 'results', ...at, blocks: [toResultBlock(id, content, failed)] });
    }
    case 'user':
      return void items.push(...userItems(at, blocks));
    default:
      notes.push({ line, text: `role ${JSON.stringify(message.role.slice(0, 40))} is not known: left out` });
  }
}

/** Splits one user message: its results belong to their calls, and what the person said beside them follows. */
export function userItems(at: RecordedAt, blocks: readonly Block[]): ImportedItem[] {
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const spoken = blocks.filter(({ type }) => type === 'text' || type === 'image');
  return [
    ...(results.length === 0 ? [] : [{ kind: 'results' as const, ...at, blocks: results }]),
    ...(spoken.length === 0 ? [] : [{ kind: 'said' as const, ...at, origin: 'human' as const, blocks: spoken }]),
  ];
}

/** `tool_calls`, and the single `function_call` of older recordings, whose result has the function's name. */
function openAiCalls(line: number, message: ChatMessage, notes: ImportNote[]): Block[] {
  const old = message['function_call'] === undefined ? [] : [{ function: message['function_call'] }];
  const calls: unknown = message['tool_calls'] ?? old;
  if (!Array.isArray(calls)) {
    notes.push({ line, text: '`tool_calls` is no list of calls: left out' });
    return [];
  }
  return calls.flatMap((call: unknown) => {
    const { function: inner, ...flat } = toFields(call);
    const { name, arguments: input } = { ...flat, ...toFields(inner) };
    const made = toCallBlocks(flat['id'] ?? name, name, input);
    if (made === undefined)
      notes.push({ line, text: `the call of ${String(name).slice(0, 60)} cannot be read: left out` });
    return made ?? [];
  });
}

export function toFields(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The system prompt of a request body. */
function readSystemPrompt(whole: unknown): string[] {
  if (!isJsonObject(whole)) return [];
  return readContent(whole['system']).blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}
