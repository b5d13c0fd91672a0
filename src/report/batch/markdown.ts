/** The report of a batch in Markdown: what came of it, by scenario, run by run, who waits, where failures come from. */
import { batchNotes, countsOf, countsText, batchGroups, totalOf, type BatchSummary } from './summary.ts';
import { count, paidText, usd } from '../text/number-format.ts';
import { gatesTable, groupsTable, layersTable, runsTable } from './tables.ts';
import { shellQuote } from '../text/sanitise.ts';
import { markdownCode, markdownLink, markdownText, tableMarkdown } from '../text/markdown.ts';

export function renderBatchMarkdown(summary: BatchSummary): string {
  return `${batchBlocks(summary, markdownLink).join('\n\n')}\n`;
}

/** The same for `$GITHUB_STEP_SUMMARY`, from which no link leads into the run folders. */
export function renderBatchStepSummary(summary: BatchSummary): string {
  return `${batchBlocks(summary, (label) => markdownText(label)).join('\n\n')}\n`;
}

/** GitHub cuts a summary above 1 MiB; a table of more rows is not read either. */
const MOST_ROWS = 500;

function batchBlocks(summary: BatchSummary, link: typeof markdownLink): string[] {
  const total = totalOf(summary);
  const cap = summary.budgetUsd === undefined ? '' : ` of ${usd(summary.budgetUsd)}`;
  const cost = `${paidText(total)}${cap} for ${count(total.calls, 'model call')}`;
  return [
    `# Batch ${markdownCode(summary.batch)}: ${countsText(countsOf(summary))}`,
    `${count(summary.rows.length, 'run')} of ${count(batchGroups(summary).length, 'scenario')}, ${cost}. Started ${summary.createdAt}.`,
    ...batchNotes(summary).map(({ title, text }) => `> **${title}.** ${markdownText(text)}`),
    '## By scenario',
    tableMarkdown(groupsTable(batchGroups(summary))),
    ...gateBlocks(summary),
    '## Run by run',
    tableMarkdown(runsTable(summary.rows.slice(0, MOST_ROWS)), link),
    ...(summary.rows.length > MOST_ROWS ? [`_${summary.rows.length - MOST_ROWS} more runs are not shown._`] : []),
    '## Failures of the newest iterations, by layer',
    tableMarkdown(layersTable(batchGroups(summary))),
  ];
}

function gateBlocks({ batch, rows }: BatchSummary): string[] {
  const waiting = rows.filter((row) => row.gate !== undefined);
  const [first] = waiting;
  if (first?.gate === undefined) return [];
  const approve = `tandem gates approve ${shellQuote(first.run)} --digest ${shellQuote(first.gate.digest.slice(0, 16))} --batch ${shellQuote(batch)}`;
  return [
    '## Gates that wait for a person',
    tableMarkdown(gatesTable(waiting)),
    `One decision for all identical designs of this batch:\n\n\`\`\`sh\ntandem gates show ${shellQuote(first.run)}\n${approve}\n\`\`\``,
  ];
}
