/** A transcript of ours in the shape of a session file of Claude Code or of pi. */
import type { CompactionEntry, Entry, MessageEntry } from '../src/transcript/entry.ts';
import type { Block, TextBlock } from '../src/transcript/message.ts';
import { getResultText } from '../src/transcript/transcript-lines.ts';

type Line = Record<string, unknown>;

/** One second passes between lines: no clock, so that the same run gives the same file. */
const START = Date.UTC(2026, 0, 20, 9);
const SESSION = '5e55a0de-0000-4000-8000-000000000001';

/** The time of a line, by its place. */
function timeAt(place: number): string {
  return new Date(START + place * 1000).toISOString();
}

function jsonl(lines: readonly Line[]): string {
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

/** Claude Code writes every block of a response as a line of its own, all with the response's id and usage. */
export function asClaudeCode(entries: readonly Entry[]): string {
  const lines: Line[] = [{ type: 'file-history-snapshot', messageId: 'm0', snapshot: {} }];
  for (const entry of entries) {
    if (entry.type === 'compaction') lines.push(...claudeCompaction(entry));
    if (entry.type !== 'message') continue;
    const { message, origin } = entry;
    if (origin === 'model') lines.push(...message.content.map((block) => claudeAnswer(entry, block)));
    else if (origin === 'tools')
      lines.push(...message.content.map((block) => ({ type: 'user', message: { role: 'user', content: [block] } })));
    else lines.push({ type: 'user', message: { role: 'user', content: message.content } });
  }
  return jsonl(
    lines.map((line, place) => ({
      ...line,
      parentUuid: place < 2 ? null : `u${place - 1}`,
      uuid: `u${place}`,
      isSidechain: false,
      sessionId: SESSION,
      cwd: '/work',
      timestamp: timeAt(place),
    })),
  );
}

function claudeAnswer({ id, response }: MessageEntry, block: Block): Line {
  const { model, stopReason, usage } = response ?? {};
  const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, content: [block] };
  return { type: 'assistant', message: { ...message, stop_reason: stopReason, usage } };
}

function claudeCompaction({ receipt, summary }: CompactionEntry): Line[] {
  return [
    {
      type: 'system',
      subtype: 'compact_boundary',
      compactMetadata: { trigger: 'auto', preTokens: receipt.tokensBefore },
    },
    { type: 'user', isCompactSummary: true, message: { role: 'user', content: summary } },
  ];
}

/** pi writes a message a line, tool results as messages of their own. */
export function asPi(entries: readonly Entry[]): string {
  const lines: Line[] = [{ type: 'session', id: SESSION, cwd: '/work', provider: 'anthropic', thinkingLevel: 'off' }];
  const names = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type === 'compaction')
      lines.push({ type: 'compaction', summary: entry.summary, tokensBefore: entry.receipt.tokensBefore });
    if (entry.type !== 'message') continue;
    for (const block of entry.message.content) if (block.type === 'tool_use') names.set(block.id, block.name);
    lines.push(...piMessages(entry, names).map((message) => ({ type: 'message', message })));
  }
  return jsonl(lines.map((line, place) => ({ ...line, timestamp: timeAt(place) })));
}

function piMessages({ origin, message, response }: MessageEntry, names: ReadonlyMap<string, string>): Line[] {
  if (origin === 'model') {
    const usage = {
      input: response?.usage.input_tokens,
      output: response?.usage.output_tokens,
      cacheRead: response?.usage.cache_read_input_tokens,
      cacheWrite: response?.usage.cache_creation_input_tokens,
    };
    return [{ role: 'assistant', content: message.content.map(piBlock), model: response?.model, usage }];
  }
  if (origin !== 'tools') return [{ role: 'user', content: message.content }];
  return message.content.flatMap((block): Line[] => {
    if (block.type !== 'tool_result') return [];
    const content: TextBlock[] = [{ type: 'text', text: getResultText(block) }];
    const call = { toolCallId: block.tool_use_id, toolName: names.get(block.tool_use_id) };
    return [{ role: 'toolResult', ...call, content, isError: block.is_error === true }];
  });
}

function piBlock(block: Block): Line {
  if (block.type === 'tool_use') return { type: 'toolCall', id: block.id, name: block.name, arguments: block.input };
  if (block.type !== 'thinking') return block;
  return { type: 'thinking', thinking: block.thinking, thinkingSignature: block.signature };
}
