/** A transcript of ours in the shape of a session file of Claude Code. */
import type { CompactionEntry, Entry, MessageEntry } from '../src/transcript/entry.ts';
import type { Block } from '../src/transcript/message.ts';

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
