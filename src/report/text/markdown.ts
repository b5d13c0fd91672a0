/** Builds Markdown from untrusted text, which is escaped so that it stays text. */
import { neutraliseText } from './sanitise.ts';

// A mention or an issue reference would notify people or create links; the word joiner keeps it plain text.
const JOINER = '\u2060';

/** Escapes prose inside a line: it cannot become emphasis, link, mention, HTML, math or table cell. */
export function markdownText(text: string): string {
  return neutraliseText(text)
    .replace(/[\n\t ]+/g, ' ')
    .trim()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*[\]|~$]/g, String.raw`\$&`)
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
    .replaceAll('://', String.raw`:\//`)
    .replace(/\bwww\./gi, (prefix) => `${prefix.slice(0, -1)}\\.`)
    .replace(/^(\d+)([.)])/, String.raw`$1\$2`)
    .replace(/^[#+=-]/, String.raw`\$&`)
    .replace(/@(?=\w)|#(?=\d)/g, `$&${JOINER}`);
}

/** Returns a code span on one line, or prose when a table could not hold it as code. */
export function markdownCode(text: string): string {
  const line = neutraliseText(text).replace(/[\n\t ]+/g, ' ');
  if (line.trim() === '') return '` `';
  if (line.includes('|')) return markdownText(line);
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = /^`|`$|^ .* $/.test(line) ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Returns a fenced block that its content cannot close. */
export function markdownFence(text: string, language = ''): string {
  const body = neutraliseText(text);
  const fence = '`'.repeat(Math.max(3, longestRun(body) + 1));
  return `${fence}${language}\n${body}\n${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}

/** Links a file by relative path; any other path is shown as code. */
export function markdownLink(label: string, path: string, line?: number): string {
  const target = relativeHref(path);
  const place = line === undefined ? '' : `#L${line}`;
  return target === undefined
    ? `${markdownText(label)} ${markdownCode(path)}`
    : `[${markdownText(label)}](${target}${place})`;
}

/**
 * Returns a path as a link target, or undefined when following it could leave the folders of the run: when it is
 * absolute, has a scheme, or has `..` anywhere but at its beginning.
 */
export function relativeHref(path: string): string | undefined {
  const segments = neutraliseText(path).split('/');
  const inside = segments.slice(segments.findLastIndex((segment) => segment === '..') + 1);
  const upOnly = segments.slice(0, segments.length - inside.length).every((segment) => segment === '..');
  if (!upOnly || path === '' || inside.some((segment) => segment === '' || /[\\:]/.test(segment))) return undefined;
  const encode = (segment: string) => encodeURIComponent(segment).replace(/[!'()*]/g, encodePercent);
  return [...segments.slice(0, segments.length - inside.length), ...inside.map(encode)].join('/');
}

const encodePercent = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** Returns a table; the cells are Markdown already. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A table defined once, rendered by pages (`html/html.ts`) and Markdown alike; the first cell heads its row. */
export type ReportTable = { label: string; head: readonly string[]; rows: readonly (readonly TableCell[])[] };

/** A plain string is our own text, `text` may be anybody's; `warn` asks for attention. A link's `path` is relative. */
export type TableCell =
  | string
  | number
  | { text: string }
  | { code: string }
  | { strong: string }
  | { pill: string; tone: 'good' | 'bad' | 'warn' | 'plain' }
  | { link: string; path: string };

export function tableMarkdown({ head, rows }: ReportTable, link: typeof markdownLink = markdownLink): string {
  return markdownTable(
    head,
    rows.map((cells) => cells.map((cell) => cellMarkdown(cell, link))),
  );
}

function cellMarkdown(cell: TableCell, link: typeof markdownLink): string {
  if (typeof cell !== 'object') return String(cell);
  if ('text' in cell) return markdownText(cell.text);
  if ('code' in cell) return markdownCode(cell.code);
  if ('strong' in cell) return `**${cell.strong}**`;
  if ('link' in cell) return link(cell.link, cell.path);
  return cell.tone === 'warn' ? `**${cell.pill}**` : cell.pill;
}
