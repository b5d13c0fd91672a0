/** The tags that code writes around carried facts, and the escaping that prevents any other text from containing them. */
import { estimateText } from '../transcript/tokens.ts';

const TAGS = [
  'carried_facts',
  'first_task',
  'carried_task',
  'user_messages',
  'user_message',
  'carried_paths',
  'open_gate',
  'carried_todos',
  'carried_decisions',
  'file_ledger',
  'earlier_facts',
  'compaction_request',
  'compacted_context',
  'compact_summary',
  'transcript_lines',
  'system_messages',
  'left_out',
  'entry_index',
  'archived_session',
  'relevant_context',
  'available_skills',
  'active_skill',
  'todo_recap',
  'project_rules',
  'approved_rules',
  'reminders',
] as const;
export type Tag = (typeof TAGS)[number];

/** A tag as a model would read it, whatever its spaces, case and zero-width characters. */
const ANY_TAG = new RegExp(`<(?=[\\s/\\u200b-\\u200d\\u2060\\ufeff]*(?:${TAGS.join('|')})\\b)`, 'gi');

/** Text of models, tools, files and people cannot open or close one of these tags. */
export function escapeTags(text: string): string {
  return text.toWellFormed().replaceAll(ANY_TAG, () => '&lt;');
}

/** `body` must be escaped already. */
export function wrapInTag(tag: Tag, body: string, id?: string): string {
  return id === undefined ? `<${tag}>\n${body}\n</${tag}>` : `<${tag} id="${id}">${body}</${tag}>`;
}

/** The lines in one tag; nothing without lines. They must be escaped already. */
export function wrapLines(tag: Tag, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [wrapInTag(tag, lines.join('\n'))];
}

/** The text between the tags, or undefined. */
export function extractTag(text: string, tag: Tag): string | undefined {
  const start = text.indexOf(`<${tag}>`);
  const end = text.lastIndexOf(`</${tag}>`);
  return start < 0 || end < start ? undefined : text.slice(start + tag.length + 2, end).trim();
}

/** One fact a line: a line break in its content cannot begin another fact. */
export function oneLine(text: string): string {
  return escapeTags(text)
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
}

/** Spaces in a path are retained, because tools need it unchanged. */
export function onePath(path: string): string {
  return escapeTags(path).replaceAll(/[\p{Cc}\u2028\u2029]/gu, '?');
}

/** Lines from the first on while they fit; the others are counted. `what` names them, `perLine` is the cost of a line break. */
export function underCap(
  lines: readonly string[],
  { tokens, what, perLine = 0 }: { tokens: number; what: string; perLine?: number },
): string[] {
  const fitting: string[] = [];
  let left = tokens;
  for (const line of lines) {
    left -= estimateText(line) + perLine;
    if (left < 0) break;
    fitting.push(line);
  }
  const gone = lines.length - fitting.length;
  return gone === 0 ? fitting : [...fitting, `(${gone} ${what} left out)`];
}
