/** Renders `out/summary.md`: the whole run in Markdown, outcome first. */
import { groupByCause } from './failure-causes.ts';
import { failureMarkdown, noteMarkdown, type FailureContext } from './failure-markdown.ts';
import { forecastAgainst } from '../text/forecast-text.ts';
import { formatCount, formatDuration, paidText, formatUsd } from '../text/number-format.ts';
import { shellQuote } from '../text/sanitise.ts';
import { causeTitle, rerunCommandText } from './iteration-markdown.ts';
import { changesTable, compactionsTable, iterationsTable, spentTable } from './iteration-tables.ts';
import { markdownCode, markdownLink, markdownText, tableMarkdown } from '../text/markdown.ts';
import { lastResults, paidSoFar, shownFolder, type RunSummary } from './run-summary.ts';
import { buildTimeline, type TimelineEntry } from './timeline.ts';
import { describeAgainst, listReportNotes, getSandboxName, describeOutcome } from './run-outcome.ts';

export function renderRunMarkdown(summary: RunSummary): string {
  return `${[...openingBlocks(summary), ...detailBlocks(summary), ...failureBlocks(summary, (label, path) => markdownLink(label, `../${path}`))].join('\n\n')}\n`;
}

/** Formats title, outcome, caveats, and the table of iterations. */
export function openingBlocks(summary: RunSummary): string[] {
  const { title, detail } = describeOutcome(summary);
  const notes = listReportNotes(summary);
  const against = describeAgainst(notes);
  const changes = changesTable(summary.iterations);
  return [
    `# ${markdownText(summary.title)}: ${title}`,
    [
      `**${title}.** ${detail}`,
      ...(against === undefined ? [] : [`**${against}.**`]),
      ...(summary.why === '' ? [] : [markdownText(summary.why)]),
    ].join(' '),
    ...notes.map((note) => noteMarkdown(note, (label, path) => markdownLink(label, `../${path}`))),
    ...(summary.iterations.length === 0 ? [] : [tableMarkdown(iterationsTable(summary.iterations))]),
    ...(changes === undefined ? [] : ['**What moved the rate**, in percentage points:', tableMarkdown(changes)]),
    `Run ${markdownCode(summary.run)} of ${markdownCode(summary.scenario)}, ${formatCount(summary.rounds.length, 'round')}, ${formatCount(summary.iterations.length, 'iteration')}, ${paidText(summary.spend)} of ${formatUsd(summary.budgetUsd)} for ${formatCount(summary.spend.calls, 'model call')}, ${formatDuration(summary.durationMs)}.${summary.forecast === undefined ? '' : ` Its ${forecastAgainst(summary.forecast, paidSoFar(summary)).replace('forecast', 'forecast was')}.`}`,
  ];
}

/** Formats the timeline, the cost, the compactions, and how the run was made. */
export function detailBlocks(summary: RunSummary): string[] {
  const { byAgent, byStep } = summary.spend;
  const compacted = compactionsTable(summary);
  return [
    '## What happened',
    buildTimeline(summary).map(momentMarkdown).join('\n'),
    '## Cost by agent',
    tableMarkdown(spentTable('agent', byAgent)),
    ...(byStep === undefined ? [] : ['## Cost by step', tableMarkdown(spentTable('step', byStep))]),
    '## Compactions',
    compacted === undefined ? 'No context was compacted.' : tableMarkdown(compacted),
    '## How this was run',
    [
      `- started ${markdownText(summary.startedAt)}`,
      `- model endpoint ${markdownCode(summary.endpoint)}${summary.simulated ? ' (**SIMULATED**)' : ''}`,
      `- generated code confined by ${markdownText(getSandboxName(summary))}`,
      `- folder ${markdownCode(shownFolder(summary.folder))}`,
      `- again: \`tandem report ${shellQuote(summary.run).replaceAll('`', '')}\``,
    ].join('\n'),
  ];
}

function momentMarkdown({ title, text, actor, quotes }: TimelineEntry): string {
  const by =
    actor === undefined ? '' : ` by ${markdownCode(actor.name)}${actor.policy ? ' (**a policy, not a person**)' : ''}`;
  const detail = text === '' ? '' : ` ${markdownText(text)}`;
  return [`- **${title}**${by}.${detail}`, ...quotes.map((quote) => `  - “${markdownText(quote)}”`)].join('\n');
}

/** Formats the failures of the newest iteration, one block each. `link` gets a path relative to the run's folder. */
export function failureBlocks(summary: RunSummary, link: FailureContext['link']): string[] {
  const last = lastResults(summary);
  if (last === undefined) return [];
  const inside: FailureContext['link'] = (label, path, line) =>
    link(label, `${last.iteration.outputDir}/${path}`, line);
  const again = (id: string) => rerunCommandText(summary.run, id, last.results.iteration);
  const previous = summary.iterations.findLast((one) => one.iteration < last.iteration.iteration)?.results;
  const causes = groupByCause(last.results);
  return [
    `## Failures of iteration ${last.results.iteration}`,
    causes.length === 0 ? 'No sample failed.' : `All results: ${inside('report of the iteration', 'report.md')}.`,
    ...causes.flatMap((cause) => [
      `### ${causeTitle(cause)}`,
      ...cause.samples.map((sample) => failureMarkdown(sample, { link: inside, again, previous })),
    ]),
  ];
}
