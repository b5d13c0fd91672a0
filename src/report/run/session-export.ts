/** Exports a session as one file: Markdown or HTML for people, JSON for programs. */
import { usageError } from '../../errors.ts';
import type { SessionTurns } from '../../run/fold-turns.ts';
import type { Entry } from '../../transcript/entry.ts';
import { getText, listToolUses } from '../../transcript/message.ts';
import { getResultText } from '../../transcript/transcript-lines.ts';
import { markdownFence, markdownText } from '../text/markdown.ts';
import { clipText, htmlText, neutraliseText } from '../text/sanitise.ts';

export const EXPORTS = ['md', 'html', 'json'] as const;
export type ExportFormat = (typeof EXPORTS)[number];

/** Maximum number of characters of one tool result. */
const MAX_RESULT_CHARS = 2000;

export function parseExportFormat(name: string): ExportFormat {
  const found = EXPORTS.find((one) => one === name);
  if (found !== undefined) return found;
  throw usageError(`${JSON.stringify(name)} is no format. There are: ${EXPORTS.join(', ')}.`);
}

export type ExportedSession = { id: string; now: SessionTurns; entries: readonly Entry[] };

export function exportSession(format: ExportFormat, exported: ExportedSession): string {
  if (format === 'json') return `${JSON.stringify(exported, null, 2)}\n`;
  return format === 'md' ? asMarkdown(exported) : asHtml(exported);
}

type TranscriptPart = { who: string; kind: 'words' | 'code'; text: string };

function toTranscriptParts(entry: Entry, agent: string): TranscriptPart[] {
  if (entry.type === 'compaction') return [{ who: 'summary from here on', kind: 'code', text: entry.summary }];
  if (entry.type !== 'message' || entry.item !== undefined) return [];
  const { message, origin } = entry;
  const results = message.content.flatMap((block) => (block.type === 'tool_result' ? [getResultText(block)] : []));
  if (results.length > 0)
    return results.map((text) => ({ who: 'result', kind: 'code', text: clipText(text, MAX_RESULT_CHARS) }));
  const calls = listToolUses(message).map(({ name, input }) => `${name} ${JSON.stringify(input)}`);
  const images = message.content.filter(({ type }) => type === 'image').length;
  const text = getText(message) + (images === 0 ? '' : `\n\n(${images} images)`);
  const who = { human: 'person', model: agent }[origin as string] ?? origin;
  return [
    ...(text.trim() === '' ? [] : [{ who, kind: 'words' as const, text }]),
    ...calls.map((call): TranscriptPart => ({
      who: `${agent} calls`,
      kind: 'code',
      text: clipText(call, MAX_RESULT_CHARS),
    })),
  ];
}

function asMarkdown({ id, now, entries }: ExportedSession): string {
  const parts = entries.flatMap((entry) => toTranscriptParts(entry, now.agent));
  const shown = parts.map(({ who, kind, text }) =>
    kind === 'words'
      ? `## ${markdownText(who)}\n\n${neutraliseText(text)}`
      : `*${markdownText(who)}*\n\n${markdownFence(text)}`,
  );
  return [
    `# Session ${markdownText(id)} with ${markdownText(now.agent)}`,
    `Begun ${now.startedAt} by ${markdownText(now.startedBy)}.`,
    ...shown,
    '',
  ].join('\n\n');
}

function asHtml({ id, now, entries }: ExportedSession): string {
  const parts = entries.flatMap((entry) => toTranscriptParts(entry, now.agent));
  const shown = parts.map(
    ({ who, text }) => `<section><h2>${htmlText(who)}</h2><pre>${htmlText(text)}</pre></section>`,
  );
  const style =
    'body{font:16px/1.5 system-ui;max-width:50rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap;overflow-wrap:anywhere}h2{font-size:1rem}';
  const title = htmlText(`Session ${id} with ${now.agent}`);
  return `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>${title}</title><style>${style}</style>\n<h1>${title}</h1>\n${shown.join('\n')}\n</html>\n`;
}
