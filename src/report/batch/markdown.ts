/** The report of a batch in Markdown: what came of it, by scenario, run by run, who waits, where failures come from. */
import {
  batchNotes,
  countsOf,
  countsText,
  batchGroups,
  rowStatus,
  totalOf,
  type BatchGroup,
  type BatchRow,
  type BatchSummary,
} from './summary.ts';
import { count, duration, intervalText, paidCell, paidText, shortDigest, usd } from '../text/number-format.ts';
import { percent } from '../../scenario/percent.ts';
import { shellQuote } from '../text/sanitise.ts';
import { failedIn, layerColumns } from '../run/layers.ts';
import { markdownCode, markdownLink, markdownTable, markdownText } from '../text/markdown.ts';

export function renderBatchMarkdown(summary: BatchSummary): string {
  return `${batchBlocks(summary, (label, path) => markdownLink(label, `../../${path}`)).join('\n\n')}\n`;
}

/** The same for `$GITHUB_STEP_SUMMARY`, from which no link leads into the run folders. */
export function renderBatchStepSummary(summary: BatchSummary): string {
  return `${batchBlocks(summary, (label) => markdownText(label)).join('\n\n')}\n`;
}

/** GitHub cuts a summary above 1 MiB; a table of more rows is not read either. */
const MOST_ROWS = 500;

function batchBlocks(summary: BatchSummary, link: (label: string, path: string) => string): string[] {
  const total = totalOf(summary);
  const cap = summary.budgetUsd === undefined ? '' : ` of ${usd(summary.budgetUsd)}`;
  const cost = `${paidText(total)}${cap} for ${count(total.calls, 'model call')}`;
  return [
    `# Batch ${markdownCode(summary.batch)}: ${countsText(countsOf(summary))}`,
    `${count(summary.rows.length, 'run')} of ${count(batchGroups(summary).length, 'scenario')}, ${cost}. Started ${summary.createdAt}.`,
    ...batchNotes(summary).map(({ title, text }) => `> **${title}.** ${markdownText(text)}`),
    '## By scenario',
    groupTable(batchGroups(summary)),
    ...gateBlocks(summary),
    '## Run by run',
    runTable(summary.rows.slice(0, MOST_ROWS), link),
    ...(summary.rows.length > MOST_ROWS ? [`_${summary.rows.length - MOST_ROWS} more runs are not shown._`] : []),
    '## Failures of the newest iterations, by layer',
    layerTable(batchGroups(summary)),
  ];
}

function groupTable(groups: readonly BatchGroup[]): string {
  return markdownTable(
    ['scenario', 'runs', 'met the target', '95 % interval', 'mean rate', '95 % interval', 'lowest to highest', 'cost'],
    groups.map((one) => [
      markdownText(one.scenario),
      String(one.runs),
      `${one.met} of ${one.judged} judged`,
      one.judged === 0 ? '' : intervalText(one.metInterval),
      one.mean === undefined ? '' : `**${percent(one.mean.value)}**`,
      one.mean === undefined ? '' : intervalText(one.mean.interval),
      one.mean === undefined ? '' : `${percent(one.mean.low)} to ${percent(one.mean.high)}`,
      paidCell(one),
    ]),
  );
}

function gateBlocks({ batch, rows }: BatchSummary): string[] {
  const waiting = rows.filter((row) => row.gate !== undefined);
  const [first] = waiting;
  if (first?.gate === undefined) return [];
  const approve = `tandem gates approve ${shellQuote(first.run)} --digest ${shellQuote(first.gate.digest.slice(0, 16))} --batch ${shellQuote(batch)}`;
  return [
    '## Gates that wait for a person',
    markdownTable(
      ['run', 'gate', 'design', 'since'],
      waiting.map(({ run, gate }) => [
        markdownCode(run),
        gate?.id ?? '',
        markdownCode(shortDigest(gate?.digest ?? '')),
        gate?.openedAt ?? '',
      ]),
    ),
    `One decision for all identical designs of this batch:\n\n\`\`\`sh\ntandem gates show ${shellQuote(first.run)}\n${approve}\n\`\`\``,
  ];
}

function runTable(rows: readonly BatchRow[], link: (label: string, path: string) => string): string {
  return markdownTable(
    ['run', 'scenario', 'state', 'round', 'iteration', 'rate', '95 % interval', 'passed', 'cost', 'time', 'why'],
    rows.map((one) => [
      ['not_started', 'unreadable', 'newer'].includes(one.status)
        ? markdownCode(one.run)
        : link(one.run, `${one.folder}/out/report.html`),
      markdownText(one.scenario),
      rowStatus(one),
      one.round === 0 ? '' : `r${one.round}`,
      one.iteration === 0 ? '' : String(one.iteration),
      one.rate === undefined ? '' : `**${percent(one.rate.value)}**`,
      one.rate === undefined ? '' : intervalText(one.rate.interval),
      one.rate === undefined ? '' : passedText(one.rate),
      paidCell(one),
      duration(one.durationMs),
      markdownText(one.why),
    ]),
  );
}

function passedText({ passed, total, unscored }: NonNullable<BatchRow['rate']>): string {
  return `${passed} of ${total}${unscored > 0 ? `, ${unscored} unscored` : ''}`;
}

function layerTable(groups: readonly BatchGroup[]): string {
  const columns = layerColumns(groups.map((one) => one.layers));
  return markdownTable(
    ['scenario', ...columns.map(({ key, name }) => `${key} ${name}`)],
    groups.map((one) => [markdownText(one.scenario), ...columns.map(({ key }) => String(failedIn(one.layers, key)))]),
  );
}
