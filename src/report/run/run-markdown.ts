/** Renders `out/summary.md`: the whole run in Markdown, outcome first. */
import { groupByCause } from './failure-causes.ts';
import { failureMarkdown, noteMarkdown, type FailureContext } from './failure-markdown.ts';
import { forecastAgainst } from '../text/forecast-text.ts';
import { formatCount, formatDuration, paidCell, paidText, formatTokens, formatUsd } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { shellQuote } from '../text/sanitise.ts';
import { causeTitle, rerunCommandText } from './iteration-markdown.ts';
import { changesTable, iterationsTable } from './iteration-tables.ts';
import { markdownCode, markdownLink, markdownTable, markdownText, tableMarkdown } from '../text/markdown.ts';
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
    `Run ${markdownCode(summary.run)} of ${markdownCode(summary.scenario)}, ${formatCount(summary.rounds.length, 'round')}, ${formatCount(summary.iterations.length, 'iteration')}, ${paidText(summary.spend)} of ${formatUsd(summary.budgetUsd)} for ${formatCount(summary.spend.calls, 'model call')}, ${formatDuration(summary.durationMs)}.${summary.forecast === undefined ? '' : ` The ${forecastAgainst(summary.forecast, paidSoFar(summary))}.`}`,
  ];
}

/** Formats the timeline, the cost, the compactions, and how the run was made. */
export function detailBlocks(summary: RunSummary): string[] {
  return [
    '## What happened',
    buildTimeline(summary).map(momentMarkdown).join('\n'),
    '## Cost by agent',
    spentTable('agent', summary.spend.byAgent),
    ...(summary.spend.byStep === undefined ? [] : ['## Cost by step', spentTable('step', summary.spend.byStep)]),
    '## Compactions',
    compactionBlock(summary),
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

/** Formats cost and time per agent or step; the times of parallel calls add up. */
function spentTable(by: string, spent: RunSummary['spend']['byAgent']): string {
  const timed = Object.values(spent).some(({ ms }) => ms !== undefined);
  const cached = Object.values(spent).some(({ cacheRead }) => cacheRead !== undefined);
  return markdownTable(
    [
      by,
      'cost',
      'model calls',
      ...(cached ? ['input from the cache'] : []),
      ...(timed ? ['waited for answers, calls added up', 'longest call'] : []),
    ],
    Object.entries(spent).map(([name, { calls, cacheRead, ms = Number.NaN, longestMs = Number.NaN, ...cost }]) => [
      markdownText(name),
      paidCell(cost),
      String(calls),
      ...(cached ? [cacheRead === undefined ? '–' : formatPercent(cacheRead)] : []),
      ...(timed ? [formatDuration(ms), formatDuration(longestMs)] : []),
    ]),
  );
}

function momentMarkdown({ title, text, actor, quotes }: TimelineEntry): string {
  const by =
    actor === undefined ? '' : ` by ${markdownCode(actor.name)}${actor.policy ? ' (**a policy, not a person**)' : ''}`;
  const detail = text === '' ? '' : ` ${markdownText(text)}`;
  return [`- **${title}**${by}.${detail}`, ...quotes.map((quote) => `  - “${markdownText(quote)}”`)].join('\n');
}

function compactionBlock({ compactions }: RunSummary): string {
  if (compactions.length === 0) return 'No context was compacted.';
  return markdownTable(
    ['agent', 'entry', 'tokens before', 'after', 'steps summarised', 'kept', 'reason'],
    compactions.map((one) => [
      markdownText(one.agent),
      markdownCode(one.entry),
      formatTokens(one.tokensBefore),
      formatTokens(one.tokensAfter),
      String(one.stepsSummarised),
      String(one.stepsKept),
      markdownText(one.reason),
    ]),
  );
}

/** Formats the failures of the newest iteration, one block each. `link` gets a path relative to the run's folder. */
export function failureBlocks(summary: RunSummary, link: FailureContext['link']): string[] {
  const last = lastResults(summary);
  if (last === undefined) return [];
  const inside: FailureContext['link'] = (label, path, line) =>
    link(label, `${last.iteration.outputDir}/${path}`, line);
  const again = (id: string) => rerunCommandText(summary.run, id, last.results.iteration);
  const earlier = summary.iterations.findLast((one) => one.iteration < last.iteration.iteration)?.results;
  const before = new Map(earlier?.samples.map((sample) => [sample.id, sample]));
  const causes = groupByCause(last.results);
  return [
    `## Failures of iteration ${last.results.iteration}`,
    causes.length === 0 ? 'No sample failed.' : `All results: ${inside('report of the iteration', 'report.md')}.`,
    ...causes.flatMap((cause) => [
      `### ${causeTitle(cause)}`,
      ...cause.samples.map((sample) =>
        failureMarkdown(sample, {
          link: inside,
          again,
          before: before.get(sample.id),
          compared: earlier !== undefined,
        }),
      ),
    ]),
  ];
}
