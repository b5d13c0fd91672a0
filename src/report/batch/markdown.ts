/** Renders the report of a batch in Markdown: results by scenario and by run, waiting gates, sources of failures. */
import {
  batchNotes,
  countRuns,
  formatApproveCommands,
  formatRunCounts,
  groupByScenario,
  summariseAllRuns,
  type BatchSummary,
} from './summary.ts';
import { formatCount, paidText, formatUsd } from '../text/number-format.ts';
import { gatesTable, groupsTable, layersTable, runsTable } from './tables.ts';
import { markdownCode, markdownLink, markdownText, tableMarkdown } from '../text/markdown.ts';

export function renderBatchMarkdown(summary: BatchSummary): string {
  return `${batchBlocks(summary, markdownLink).join('\n\n')}\n`;
}

/** Renders the same for `$GITHUB_STEP_SUMMARY`, from which no link leads into the run folders. */
export function renderBatchStepSummary(summary: BatchSummary): string {
  return `${batchBlocks(summary, (label) => markdownText(label)).join('\n\n')}\n`;
}

/** GitHub cuts a summary above 1 MiB, and nobody reads a longer table. */
const MOST_ROWS = 500;

function batchBlocks(summary: BatchSummary, link: typeof markdownLink): string[] {
  const total = summariseAllRuns(summary);
  const cap = summary.budgetUsd === undefined ? '' : ` of ${formatUsd(summary.budgetUsd)}`;
  const cost = `${paidText(total)}${cap} for ${formatCount(total.calls, 'model call')}`;
  return [
    `# Batch ${markdownCode(summary.batch)}: ${formatRunCounts(countRuns(summary))}`,
    `${formatCount(summary.rows.length, 'run')} of ${formatCount(groupByScenario(summary).length, 'scenario')}, ${cost}. Started ${summary.createdAt}.`,
    ...batchNotes(summary).map(({ title, text }) => `> **${title}.** ${markdownText(text)}`),
    '## By scenario',
    tableMarkdown(groupsTable(groupByScenario(summary))),
    ...gateBlocks(summary),
    '## Run by run',
    tableMarkdown(runsTable(summary.rows.slice(0, MOST_ROWS)), link),
    ...(summary.rows.length > MOST_ROWS ? [`_${summary.rows.length - MOST_ROWS} more runs are not shown._`] : []),
    '## Failures of the newest iterations, by layer',
    tableMarkdown(layersTable(groupByScenario(summary))),
  ];
}

function gateBlocks(summary: BatchSummary): string[] {
  const waiting = summary.rows.filter((row) => row.gate !== undefined);
  if (waiting.length === 0) return [];
  const commands = formatApproveCommands(summary);
  return [
    '## Gates that wait for a person',
    tableMarkdown(gatesTable(waiting)),
    `All of them are on one page (\`tandem serve\`). On a terminal, one decision for each design:\n\n\`\`\`sh\n${commands.join('\n')}\n\`\`\``,
  ];
}
