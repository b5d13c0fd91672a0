/** The verdict on results, with what speaks against it: in one line for people, and for programs. */
import { omitUndefined } from '../../omit-undefined.ts';
import { describeAgainst, listAgainst, listResultNotes } from '../../report/run/run-outcome.ts';
import { formatPercent } from '../../scenario/percent.ts';
import type { Results } from '../../scenario/result.ts';
import { listRuleJudges } from '../../scenario/unproven-rules.ts';
import {
  describePassed,
  explainUnmet,
  judgeResults,
  summariseDoubt,
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

/** The same keys at every door; `against` is absent where nothing speaks against the rate. */
export function toVerdictJson(results: Results) {
  const against = listAgainst(listResultNotes(results));
  return {
    verdict: judgeResults(results),
    ...(against.length === 0 ? {} : { against }),
    ...omitUndefined({ passedRange: summariseDoubt(results).passedRange, unproven: results.unproven }),
    judges: listRuleJudges(results.verification),
  };
}
