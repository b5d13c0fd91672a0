/** Recorded sessions of other harnesses as transcripts of ours; they lie beside the checkout, never in it. */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { MessageEntry } from '../../src/transcript/entry.ts';
import { Block, StopReason, Usage } from '../../src/transcript/message.ts';

/** Optional: without this folder the tests that need it are skipped, and say so. */
const FOLDER = '../shared/data/transcripts';

const Line = z.looseObject({
  isSidechain: z.boolean().optional(),
  message: z
    .looseObject({
      id: z.string().optional(),
      role: z.enum(['user', 'assistant', 'toolResult']),
      content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
      model: z.string().optional(),
      usage: z.looseObject({}).optional(),
      toolCallId: z.string().optional(),
      isError: z.boolean().optional(),
    })
    .optional(),
});
type Spoken = NonNullable<z.infer<typeof Line>['message']>;

export function hasRecordings(): boolean {
  return existsSync(FOLDER);
}

/** One entry per message; the streamed parts of one answer are put together again. */
export function readRecorded(name: string): MessageEntry[] {
  const text = gunzipSync(readFileSync(`${FOLDER}/${name}`)).toString('utf8');
  const entries: MessageEntry[] = [];
  let lastId: string | undefined;
  for (const raw of text.trim().split('\n')) {
    const line = Line.safeParse(JSON.parse(raw));
    // Lines of other kinds (snapshots, commands of the person) are no part of the conversation.
    if (!line.success || line.data.message === undefined || line.data.isSidechain === true) continue;
    const { message } = line.data;
    const content = blocksOf(message);
    const last = entries.at(-1);
    if (last !== undefined && message.id !== undefined && message.id === lastId) {
      last.message.content.push(...content);
      continue;
    }
    lastId = message.id;
    const results = content.some(({ type }) => type === 'tool_result');
    const joins = results && last?.origin === 'tools';
    if (joins) last.message.content.push(...content);
    else entries.push(entryOf(message, content, results, entries.length));
  }
  return entries;
}

function entryOf(message: Spoken, content: Block[], results: boolean, place: number): MessageEntry {
  const role = message.role === 'assistant' ? 'assistant' : 'user';
  const usage = usageOf(message.usage);
  return {
    version: 1,
    type: 'message',
    id: `e${place + 1}`,
    parents: place === 0 ? [] : [`e${place}`],
    lane: 'main',
    origin: role === 'assistant' ? 'model' : results ? 'tools' : 'human',
    message: { role, content },
    ...(usage === undefined
      ? {}
      : { response: { model: message.model ?? '', stopReason: StopReason.parse('tool_use'), usage, view: 'e0' } }),
  };
}

function usageOf(raw: Record<string, unknown> | undefined): Usage | undefined {
  if (raw === undefined) return undefined;
  const ours = {
    ...raw,
    input_tokens: raw['input_tokens'] ?? raw['input'],
    output_tokens: raw['output_tokens'] ?? raw['output'],
  };
  return Usage.parse({
    ...ours,
    cache_read_input_tokens: raw['cache_read_input_tokens'] ?? raw['cacheRead'] ?? 0,
    cache_creation_input_tokens: raw['cache_creation_input_tokens'] ?? raw['cacheWrite'] ?? 0,
  });
}

function blocksOf({ role, content, toolCallId, isError }: Spoken): Block[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const blocks = parts.flatMap((part) => {
    const block = Block.safeParse(ours(part));
    return block.success ? [block.data] : [];
  });
  if (role !== 'toolResult') return blocks;
  const inside = blocks.filter((block) => block.type === 'text' || block.type === 'image');
  return [{ type: 'tool_result', tool_use_id: toolCallId ?? '', content: inside, is_error: isError === true }];
}

/** The spelling of the wire, and only its fields. */
function ours(part: Record<string, unknown>): Record<string, unknown> {
  const { type, text, id, name, tool_use_id, content, is_error, source, data, mimeType } = part;
  if (type === 'toolCall') return { type: 'tool_use', id, name, input: part['arguments'] };
  if (type === 'tool_use') return { type, id, name, input: part['input'] };
  if (type === 'text') return { type, text };
  if (type === 'image') return { type, source: source ?? { type: 'base64', media_type: mimeType, data } };
  if (type !== 'tool_result') return { type: 'unknown' };
  const inside = Array.isArray(content) ? content.map((one: Record<string, unknown>) => ours(one)) : content;
  return { type, tool_use_id, content: inside, ...(typeof is_error === 'boolean' ? { is_error } : {}) };
}
