/** The summary of a run for `$GITHUB_STEP_SUMMARY`: the same facts, cut at whole blocks before GitHub would refuse it. */
import { count, shortDigest } from '../text/number-format.ts';
import { shellQuote } from '../text/sanitise.ts';
import { markdownCode } from '../text/markdown.ts';
import { detailBlocks, failureBlocks, openingBlocks } from './run-markdown.ts';
import { waitingGate, type RunSummary } from './run-summary.ts';

/** GitHub refuses a summary over 1 MiB. */
const LIMIT_BYTES = 900 * 1024;

export function renderStepSummary(summary: RunSummary): string {
  const blocks = [
    ...openingBlocks(summary),
    ...gateBox(summary),
    ...failureBlocks(summary, asText),
    ...detailBlocks(summary),
  ];
  return `${fitting(blocks).join('\n\n')}\n`;
}

// GitHub shows the summary on a page of its own, from which no link leads into the run's folder.
const asText = (label: string, path: string) => `${label} ${markdownCode(path)}`;

function gateBox(summary: RunSummary): string[] {
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

function fitting(blocks: readonly string[]): string[] {
  const room = LIMIT_BYTES - 200;
  let used = 0;
  const fit = blocks.findIndex((block) => (used += encoder.encode(block).length + 2) > room);
  if (fit === -1) return [...blocks];
  return [
    ...blocks.slice(0, fit),
    `_${count(blocks.length - fit, 'section')} left out: the summary may hold 900 KB. The rest is in \`out/report.html\`._`,
  ];
}
