/** Renders a run for `$GITHUB_STEP_SUMMARY`: the same facts, cut at whole blocks to stay below GitHub's limit. */
import { formatCount, shortDigest } from '../text/number-format.ts';
import { shellQuote } from '../text/sanitise.ts';
import { markdownCode } from '../text/markdown.ts';
import { detailBlocks, failureBlocks, openingBlocks } from './run-markdown.ts';
import { waitingGate, type RunSummary } from './run-summary.ts';

/** GitHub refuses a summary above 1 MiB. */
const LIMIT_BYTES = 900 * 1024;

export function renderStepSummary(summary: RunSummary): string {
  const blocks = [
    ...openingBlocks(summary),
    ...formatGateBox(summary),
    ...failureBlocks(summary, formatPlainPath),
    ...detailBlocks(summary),
  ];
  return `${fitBlocks(blocks).join('\n\n')}\n`;
}

// GitHub shows the summary on its own page, from which no link leads into the run's folder.
const formatPlainPath = (label: string, path: string) => `${label} ${markdownCode(path)}`;

function formatGateBox(summary: RunSummary): string[] {
  const gate = waitingGate(summary);
  if (gate === undefined) return [];
  const digest = summary.rounds.at(-1)?.digest ?? '';
  const approve = `tandem gates approve ${shellQuote(summary.run)} --gate ${gate} --digest ${shellQuote(digest)}`;
  return [
    `> [!IMPORTANT]\n> **${gate} waits for a person** (design ${shortDigest(digest)}). Nothing runs until it is answered.`,
    `\`\`\`sh\ntandem gates show ${shellQuote(summary.run)}\n${approve}\n\`\`\``,
  ];
}

const encoder = new TextEncoder();

function fitBlocks(blocks: readonly string[]): string[] {
  const room = LIMIT_BYTES - 200;
  let used = 0;
  const fit = blocks.findIndex((block) => (used += encoder.encode(block).length + 2) > room);
  if (fit === -1) return [...blocks];
  return [
    ...blocks.slice(0, fit),
    `_${formatCount(blocks.length - fit, 'section')} left out: the summary may hold 900 KB. The rest is in \`out/report.html\`._`,
  ];
}
