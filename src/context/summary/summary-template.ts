/** Puts a summary into the policy's template: an archive with its times, a continuation, a node (S1.9, S2.4, S4.9). */
import { fillTemplate } from '../../transcript/fill-template.ts';
import type { Entry } from '../../transcript/entry.ts';
import type { CutContext } from '../plan/compaction-cut.ts';
import type { SummaryValue } from './summary.ts';
import { escapeTags } from '../fact-tags.ts';

/** Without a template the summary stays the model's JSON. */
export function fillSummaryTemplate(context: CutContext, json: string, value: SummaryValue): string {
  const { prompts } = context.core;
  if (prompts.wrap === undefined) return json;
  const sections = typeof value === 'string' || Array.isArray(value) ? { summary: value } : value;
  const fields = Object.fromEntries(Object.entries(sections).map(([name, part]) => [name, formatPoints(part)]));
  const body = Object.entries(fields)
    .map(([name, text]) => `### ${formatTitle(name)}\n${text}`)
    .join('\n\n');
  return fillTemplate(prompts.wrap, { ...emptyFields(prompts.wrap), ...fields, ...findTimeSpan(context), body });
}

/** Shows an optional field that was left out as empty. */
function emptyFields(template: string): Record<string, string> {
  return Object.fromEntries([...template.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => [name, '* (nothing)']));
}

function formatTitle(name: string): string {
  return (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ');
}

/** Writes one point per line, so that each is found again when the next summary is made (S0.15). */
function formatPoints(value: SummaryValue): string {
  const lines = typeof value === 'string' ? [value] : flattenValue(value);
  const points = lines.filter((line) => line.trim() !== '');
  return points.length === 0 ? '* (nothing)' : points.map((line) => `* ${escapeLine(line)}`).join('\n');
}

function flattenValue(value: SummaryValue): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(flattenValue);
  return Object.entries(value).flatMap(([name, part]) =>
    flattenValue(part).map((line) => `${formatTitle(name)}: ${line}`),
  );
}

/** Escapes our tags and the `<summary>` of a template, and keeps the text on one line. */
function escapeLine(line: string): string {
  return escapeTags(line)
    .replaceAll(/<(?=\s*\/?\s*summary\b)/gi, () => '&lt;')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/**
 * Returns the first and last known time of the covered entries, or their ids where no time is known. A summary that takes
 * the place of earlier ones begins where the oldest of them began.
 */
function findTimeSpan(context: CutContext): { start: string; cutoff: string } {
  const covered = coveredEntries(context, context.cut.archives.length === 0);
  const timeOf = ({ id, at }: Entry) => at ?? context.core.timeOf?.(id);
  const textOf = (entry: Entry | undefined, time: string | undefined) =>
    time === undefined ? (entry === undefined ? 'the beginning' : `#${entry.id}`) : time;
  const times = covered.flatMap((entry) => timeOf(entry) ?? []);
  return { start: textOf(covered[0], times[0]), cutoff: textOf(covered.at(-1), times.at(-1)) };
}

/** The messages that the new summary covers; those of earlier summaries only where it takes their place. */
export function coveredEntries({ snapshot, cut: { coversThrough, named } }: CutContext, fromStart = false): Entry[] {
  const { entries, projection } = snapshot;
  const before = fromStart ? -1 : entries.findIndex(({ id }) => id === projection.compaction?.coversThrough);
  const through = entries.findIndex(({ id }) => id === coversThrough);
  const gone = new Set(named);
  return entries.filter(
    ({ id, type }, place) => type === 'message' && ((place > before && place <= through) || gone.has(id)),
  );
}
