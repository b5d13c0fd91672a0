/** `tandem gates stats`: the numbers that show whether people read what they approve. */
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { duration } from '../../report/text/number-format.ts';
import { percent } from '../../scenario/percent.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { numbersOf, type ReviewerNumbers } from '../../web/read/numbers.ts';
import { allStories } from '../../web/read/run-rows.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';

export async function gateStats(options: { json?: boolean | undefined }, io: Io): Promise<number> {
  const numbers = numbersOf(await allStories(openStore(findHome(io.cwd))));
  if (options.json === true) io.out(JSON.stringify(numbers));
  else if (numbers.each.length === 0) io.out('Nothing was decided yet.');
  else for (const row of [numbers.people, ...numbers.each]) io.out(terminalText(lineOf(row)));
  return EXIT.met;
}

function lineOf({ actor, decisions, approvals, medianMs, hasty, cameBack, medianWaitMs }: ReviewerNumbers): string {
  const share = (part: number) => (approvals === 0 ? '–' : `${part} (${percent(part / approvals)})`);
  const time = (ms: number | undefined) => (ms === undefined ? '–' : duration(ms));
  return [
    `${actor}: ${decisions} decisions, ${approvals} approved`,
    `time on the page ${time(medianMs)}`,
    `under 5 s ${share(hasty)}`,
    `came back ${share(cameBack)}`,
    `gates waited ${time(medianWaitMs)}`,
  ].join(' · ');
}
