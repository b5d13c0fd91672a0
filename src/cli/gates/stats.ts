/** `tandem gates stats`: prints the numbers that show whether people read what they approve. */
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { formatDuration } from '../../report/text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { computeReviewStats, type ReviewerStats } from '../../web/read/reviewer-statistics.ts';
import { readRunHistories } from '../../web/read/run-rows.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';

export async function gateStats(options: { json?: boolean | undefined }, io: Io): Promise<number> {
  const numbers = computeReviewStats(await readRunHistories(openStore(findHome(io.cwd))));
  if (options.json === true) io.out(JSON.stringify(numbers));
  else if (numbers.each.length === 0) io.out('Nothing was decided yet.');
  else for (const row of [numbers.people, ...numbers.each]) io.out(terminalText(formatReviewerStats(row)));
  return EXIT.met;
}

function formatReviewerStats({
  actor,
  decisions,
  approvals,
  medianMs,
  hasty,
  cameBack,
  medianWaitMs,
}: ReviewerStats): string {
  const share = (part: number) => (approvals === 0 ? '–' : `${part} (${formatPercent(part / approvals)})`);
  const time = (ms: number | undefined) => (ms === undefined ? '–' : formatDuration(ms));
  return [
    `${actor}: ${decisions} decisions, ${approvals} approved`,
    `time on the page ${time(medianMs)}`,
    `under 5 s ${share(hasty)}`,
    `came back ${share(cameBack)}`,
    `gates waited ${time(medianWaitMs)}`,
  ].join(' · ');
}
