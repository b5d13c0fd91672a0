/** The verdict on results in one line, with what speaks against it. */
import { describeAgainst, listResultNotes } from '../../report/run/run-outcome.ts';
import { formatPercent } from '../../scenario/percent.ts';
import type { Results } from '../../scenario/result.ts';
import { describePassed, judgeResults } from '../../scenario/statistics/judge-results.ts';

/** Returns for example `Target 85 %: disputed (16 to 17 of 19). Against this number: DISPUTED`. */
export function describeVerdict(results: Results): string {
  const against = describeAgainst(listResultNotes(results));
  const passed = `${describePassed(results.samples)} of ${results.total}`;
  return `Target ${formatPercent(results.target)}: ${judgeResults(results)} (${passed})${against === undefined ? '' : `. ${against}`}`;
}
