/** A session as one file: for people as Markdown or HTML, for programs as JSON. */
import { usageError } from '../../errors.ts';
import type { SessionTurns } from '../../run/fold-turns.ts';
import type { Entry } from '../../transcript/entry.ts';
import { textOf, toolUses } from '../../transcript/message.ts';
import { resultText } from '../../transcript/transcript-lines.ts';
import { markdownFence, markdownText } from '../text/markdown.ts';
import { clip, htmlText, neutralise } from '../text/sanitise.ts';

export const EXPORTS = ['md', 'html', 'json'] as const;
export type ExportFormat = (typeof EXPORTS)[number];

/** Of one tool's answer. */
const MOST_RESULT = 2000;

export function exportFormat(name: string): ExportFormat {
  const found = EXPORTS.find((one) => one === name);
  if (found !== undefined) return found;
  throw usageError(`${JSON.stringify(name)} is no format. There are: ${EXPORTS.join(', ')}.`);
}

export type Exported = { id: string; now: SessionTurns; entries: readonly Entry[] };

export function exportSession(format: ExportFormat, exported: Exported): string {
  if (format === 'json') return `${JSON.stringify(exported, null, 2)}\n`;
  return format === 'md' ? asMarkdown(exported) : asHtml(exported);
}

type Part = { who: string; kind: 'words' | 'code'; text: string };

function partsOf(entry: Entry, agent: string): Part[] {
  if (entry.type === 'compaction') return [{ who: 'summary from here on', kind: 'code', text: entry.summary }];
  if (entry.type !== 'message' || entry.item !== undefined) return [];
  const { message, origin } = entry;
  const results = message.content.flatMap((block) => (block.type === 'tool_result' ? [resultText(block)] : []));
  if (results.length > 0)
    return results.map((text) => ({ who: 'result', kind: 'code', text: clip(text, MOST_RESULT) }));
  const calls = toolUses(message).map(({ name, input }) => `${name} ${JSON.stringify(input)}`);
  const images = message.content.filter(({ type }) => type === 'image').length;
  const text = textOf(message) + (images === 0 ? '' : `\n\n(${images} images)`);
  const who = { human: 'person', model: agent }[origin as string] ?? origin;
  return [
    ...(text.trim() === '' ? [] : [{ who, kind: 'words' as const, text }]),
    ...calls.map((call): Part => ({ who: `${agent} calls`, kind: 'code', text: clip(call, MOST_RESULT) })),
  ];
}

function asMarkdown({ id, now, entries }: Exported): string {
  const parts = entries.flatMap((entry) => partsOf(entry, now.agent));
  const shown = parts.map(({ who, kind, text }) =>
    kind === 'words'
      ? `## ${markdownText(who)}\n\n${neutralise(text)}`
      : `*${markdownText(who)}*\n\n${markdownFence(text)}`,
  );
  return [
    `# Session ${markdownText(id)} with ${markdownText(now.agent)}`,
    `Begun ${now.startedAt} by ${markdownText(now.startedBy)}.`,
    ...shown,
    '',
  ].join('\n\n');
}

function asHtml({ id, now, entries }: Exported): string {
  const parts = entries.flatMap((entry) => partsOf(entry, now.agent));
  const shown = parts.map(
    ({ who, text }) => `<section><h2>${htmlText(who)}</h2><pre>${htmlText(text)}</pre></section>`,
  );
  const style =
    'body{font:16px/1.5 system-ui;max-width:50rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap;overflow-wrap:anywhere}h2{font-size:1rem}';
  const title = htmlText(`Session ${id} with ${now.agent}`);
  return `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>${title}</title><style>${style}</style>\n<h1>${title}</h1>\n${shown.join('\n')}\n</html>\n`;
}
