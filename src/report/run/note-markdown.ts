/** A caveat on a rate in Markdown, with the findings that it counts. */
import type { FailureContext } from './failure-markdown.ts';
import { markdownText } from '../text/markdown.ts';
import type { ReportNote } from './run-outcome.ts';

/** Formats a note with its findings, one a line. */
export function noteMarkdown({ title, text, items = [] }: ReportNote, link: FailureContext['link']): string {
  const list = items.map((item) => `> - ${markdownText(item.text)} (${link('trace', item.path, item.line)})`);
  return [`> **${title}.** ${markdownText(text)}`, ...(list.length === 0 ? [] : ['>', ...list])].join('\n');
}
