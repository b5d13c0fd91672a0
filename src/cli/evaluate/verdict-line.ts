/** The verdict on results in one line, with what speaks against it. */
import { describeAgainst, listResultNotes } from '../../report/run/run-outcome.ts';
import { formatPercent } from '../../scenario/percent.ts';
import type { Results } from '../../scenario/result.ts';
import {
  describePassed,
  explainUnmet,
  judgeResults,
  type ResultsVerdict,
} from '../../scenario/statistics/judge-results.ts';

/** Returns for example `Target 85 %: disputed (16 to 17 of 19). Against this number: DISPUTED`. */
export function describeVerdict(results: Results): string {
  const against = describeAgainst(listResultNotes(results));
  const passed = `${describePassed(results.samples)} of ${results.total}`;
  const verdict = describeJudged(judgeResults(results), explainUnmet(results));
  return `Target ${formatPercent(results.target)}: ${verdict} (${passed})${against === undefined ? '' : `. ${against}`}`;
}

/** Returns `not met, because R7 is not proven` where the rate alone reaches the target. */
export function describeJudged(verdict: ResultsVerdict, unmet: string | undefined): string {
  return unmet === undefined ? verdict : `${verdict}, because ${unmet}`;
}
