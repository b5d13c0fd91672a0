/** The tags that code writes around carried facts, and the escaping that keeps anybody else from writing them. */

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
] as const;
export type Tag = (typeof TAGS)[number];

/** A tag as a model would read it: spaces, case and zero-width signs do not make it another one. */
const ANY_TAG = new RegExp(`<(?=[\\s/\\u200b-\\u200d\\u2060\\ufeff]*(?:${TAGS.join('|')})\\b)`, 'gi');

/** Text from models, tools, files and people cannot open or close one of our tags. */
export function escapeTags(text: string): string {
  return text.toWellFormed().replaceAll(ANY_TAG, () => '&lt;');
}

/** `body` must be escaped already. */
export function tagged(tag: Tag, body: string, id?: string): string {
  return id === undefined ? `<${tag}>\n${body}\n</${tag}>` : `<${tag} id="${id}">${body}</${tag}>`;
}

/** What stands between the tags, or undefined. */
export function insideTag(text: string, tag: Tag): string | undefined {
  const start = text.indexOf(`<${tag}>`);
  const end = text.lastIndexOf(`</${tag}>`);
  return start < 0 || end < start ? undefined : text.slice(start + tag.length + 2, end).trim();
}

/** One fact a line: no line break of its content can begin another one. */
export function oneLine(text: string): string {
  return escapeTags(text)
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
}

/** A path keeps its spaces: it must be found again as it was written. */
export function onePath(path: string): string {
  return escapeTags(path).replaceAll(/[\p{Cc}\u2028\u2029]/gu, '?');
}

/** Lines from the first on as long as they fit; what is left out is counted, never silent. */
export function underCap(
  lines: readonly string[],
  tokens: number,
  size: (line: string) => number,
  what: string,
): string[] {
  const kept: string[] = [];
  let left = tokens;
  for (const line of lines) {
    left -= size(line);
    if (left < 0) break;
    kept.push(line);
  }
  const gone = lines.length - kept.length;
  return gone === 0 ? kept : [...kept, `(${gone} ${what} left out)`];
}
