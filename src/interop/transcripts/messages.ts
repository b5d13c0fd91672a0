/** Reads lists of messages: those of the Messages API, and those of OpenAI's chat API, which are told apart message by message. */
import { z } from 'zod';
import { callOf, readContent, readUsage, resultOf } from './blocks.ts';
import type { FileRecord, ImportedItem, ImportNote, ParsedRecording } from './item.ts';
import { timeOf } from './item.ts';
import type { Block } from '../../transcript/message.ts';

const Spoken = z.looseObject({ role: z.string(), content: z.unknown().optional() });
type Spoken = z.infer<typeof Spoken>;
const Calls = z.array(
  z.looseObject({
    id: z.string().optional(),
    function: z.looseObject({ name: z.string(), arguments: z.unknown() }).optional(),
    name: z.string().optional(),
    arguments: z.unknown().optional(),
  }),
);

/** System messages before the conversation begins are its system prompt; later ones stand where they were said. */
export function readMessages(records: readonly FileRecord[], whole: unknown): ParsedRecording {
  const read: ParsedRecording = { items: [], system: systemOf(whole), notes: [] };
  for (const { line, value } of records) {
    const message = Spoken.safeParse(value);
    if (message.success) readOne(line, message.data, read);
    else read.notes.push({ line, text: 'no message: expected an object with `role`' });
  }
  return read;
}

function readOne(line: number, message: Spoken, read: ParsedRecording): void {
  const { blocks, unknown } = readContent(message.content);
  if (unknown.length > 0)
    read.notes.push({ line, text: `left out: ${[...new Set(unknown)].join(', ').slice(0, 200)}` });
  const atMs = timeOf(message['timestamp'] ?? message['created']);
  const time = atMs === undefined ? {} : { atMs };
  switch (message.role) {
    case 'system':
    case 'developer':
      if (read.items.length === 0)
        read.system.push(...blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])));
      else read.items.push({ kind: 'said', line, origin: 'reminder', blocks, ...time });
      return;
    case 'assistant':
      return void read.items.push(answerOf(line, message, blocks, read.notes, time));
    case 'tool':
    case 'function': {
      const id = message['tool_call_id'] ?? message['name'] ?? message['id'];
      const failed = message['is_error'] === true || message['error'] === true;
      return void read.items.push({
        kind: 'results',
        line,
        blocks: [resultOf(String(id), message.content, failed)],
        ...time,
      });
    }
    case 'user':
      return void read.items.push(...userItems(line, blocks, time));
    default:
      read.notes.push({ line, text: `role ${JSON.stringify(message.role.slice(0, 40))} is not known: left out` });
  }
}

/** Results and words of one user message: the results belong to their calls, the words were said after them. */
export function userItems(line: number, blocks: readonly Block[], time: { atMs?: number }): ImportedItem[] {
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const said = blocks.filter(({ type }) => type === 'text' || type === 'image');
  return [
    ...(results.length === 0 ? [] : [{ kind: 'results' as const, line, blocks: results, ...time }]),
    ...(said.length === 0
      ? []
      : [
          {
            kind: 'said' as const,
            line,
            origin: results.length === 0 ? ('human' as const) : ('reminder' as const),
            blocks: said,
            ...time,
          },
        ]),
  ];
}

function answerOf(
  line: number,
  message: Spoken,
  blocks: Block[],
  notes: ImportNote[],
  time: { atMs?: number },
): ImportedItem {
  const usage = readUsage(message['usage']);
  const model = message['model'];
  return {
    kind: 'answer',
    line,
    key: undefined,
    blocks: [...blocks, ...openAiCalls(line, message, notes)],
    ...(typeof model === 'string' ? { model } : {}),
    ...(usage === undefined ? {} : { usage }),
    ...time,
  };
}

/** `tool_calls`, and the single `function_call` of older recordings, whose result is told by the function's name. */
function openAiCalls(line: number, message: Spoken, notes: ImportNote[]): Block[] {
  const old = message['function_call'] === undefined ? [] : [{ function: message['function_call'] }];
  const calls = Calls.safeParse(message['tool_calls'] ?? old);
  if (!calls.success) {
    if (message['tool_calls'] !== null) notes.push({ line, text: '`tool_calls` is no list of calls: left out' });
    return [];
  }
  return calls.data.flatMap((call) => {
    const name = call.function?.name ?? call.name;
    const made = callOf(call.id ?? name, name, inputOf(call.function?.arguments ?? call.arguments));
    if (made === undefined)
      notes.push({ line, text: `the call of ${String(name).slice(0, 60)} cannot be read: left out` });
    return made ?? [];
  });
}

/** Arguments that are no JSON object were sent that way by the model: they are kept as they are. */
function inputOf(raw: unknown): unknown {
  if (typeof raw !== 'string') return raw ?? {};
  try {
    const value: unknown = JSON.parse(raw === '' ? '{}' : raw);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { arguments: raw };
  } catch (error) {
    if (error instanceof SyntaxError) return { arguments: raw };
    throw error;
  }
}

/** The system prompt of a request body. */
function systemOf(whole: unknown): string[] {
  const body = z.looseObject({ system: z.unknown() }).safeParse(whole);
  if (!body.success) return [];
  return readContent(body.data.system).blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}
