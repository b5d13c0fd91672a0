/** Selects what a session leaves for memory: every entry with text, by how far it reaches (S3.12). */
import { z } from 'zod';
import type { MemoryItem, MemoryLevel } from '../../ports/memory.ts';
import { parseJson } from '../../parse-json.ts';
import { getResultText } from '../../transcript/transcript-lines.ts';
import type { Entry, MessageEntry } from '../../transcript/entry.ts';

/** Characters kept of one tool result, whose beginning shows what it was. */
const RESULT_CHARS = 4000;

type ItemSource = { run: string; agent: string; outcome: string };

/** Leaves out entries that the harness injects, above all memory itself. */
export function toMemoryItems(entries: readonly Entry[], where: ItemSource): MemoryItem[] {
  return entries.flatMap((entry): MemoryItem[] => {
    const text = toItemText(entry).trim();
    if (text === '') return [];
    return [{ ...where, lane: entry.lane, entry: entry.id, level: toMemoryLevel(entry), text }];
  });
}

function toMemoryLevel(entry: Entry): MemoryLevel {
  if (entry.lane.startsWith('subagent-')) return 'task';
  if (entry.type === 'compaction') return 'session';
  if (entry.type !== 'message') return 'conversation';
  const closes = entry.response?.stopReason === 'end_turn';
  return entry.origin === 'human' || closes ? 'session' : 'conversation';
}

function toItemText(entry: Entry): string {
  if (entry.type === 'compaction') return toPlainSummary(entry.summary);
  return entry.type === 'message' && entry.item === undefined ? formatMessage(entry) : '';
}

/** Joins words and tool results; calls and thinking are left out. */
function formatMessage({ message }: MessageEntry): string {
  return message.content
    .flatMap((block) => {
      if (block.type === 'text') return [block.text];
      return block.type === 'tool_result' ? [getResultText(block).slice(0, RESULT_CHARS)] : [];
    })
    .join('\n');
}

/** Extracts the sentences of a summary, which is JSON between tags. */
function toPlainSummary(summary: string): string {
  const inner = summary.replace(/^[\s\S]*?<compact_summary>/, '').replace(/<\/compact_summary>[\s\S]*$/, '');
  const parsed = parseJson(inner);
  return parsed === undefined ? inner : collectTexts(parsed).join('; ');
}

function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  const inside = z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).safeParse(value);
  return inside.success ? Object.values(inside.data).flatMap(collectTexts) : [];
}
