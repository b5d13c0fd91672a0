/** Reports on each grader of a set of results, calibrated by people's current labels. */
import { omitUndefined } from '../../omit-undefined.ts';
import type { GradedBy, GraderReport } from '../grader.ts';
import type { AgreedLabel } from '../label.ts';
import type { SampleResult, Verdict } from '../result.ts';
import { calibrate, type JudgedConversation } from './calibrate.ts';

type GivenVerdict = JudgedConversation & { checker: string; isVoid: boolean; by: GradedBy };

/** Returns the reports in the order of the graders' ids; graders that judged nothing are missing. */
export function graderReports(
  samples: readonly Pick<SampleResult, 'id' | 'trials'>[],
  agreedOf: (grader: string) => readonly AgreedLabel[],
): GraderReport[] {
  const given = samples.flatMap(({ id, trials }) =>
    trials.flatMap(({ trial, verdicts }) => verdicts.flatMap((verdict) => toGivenVerdicts(verdict, id, trial))),
  );
  return [...Map.groupBy(given, ({ checker }) => checker)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([id, all]) => {
      const newest = all.at(-1)?.by;
      return newest === undefined ? [] : [buildGraderReport(id, { all, newest, agreed: agreedOf(id) })];
    });
}

function toGivenVerdicts({ checker, pass, broken, grader }: Verdict, sample: string, trial: number): GivenVerdict[] {
  if (grader === undefined) return [];
  const { conversation } = grader;
  return [{ name: `${sample}.${trial}`, sample, conversation, pass, checker, isVoid: broken === true, by: grader }];
}

type GraderVerdicts = {
  all: readonly GivenVerdict[];
  newest: GradedBy;
  agreed: readonly AgreedLabel[];
};

function buildGraderReport(id: string, { all, newest: { model, key, counts }, agreed }: GraderVerdicts): GraderReport {
  const judged = all.filter(({ isVoid, by }) => !isVoid && by.key === key);
  const found = calibrate(agreed, key, judged);
  const { why, sensitivity, specificity, kappa, corrected } = found;
  return {
    ...{ id, model, key, counts },
    ...(counts && why !== undefined && { allowed: true as const }),
    ...omitUndefined({ why }),
    ...{ passed: found.passed, judged: found.judged, void: all.length - judged.length },
    ...omitUndefined({ sensitivity, specificity, kappa, corrected }),
    labels: { pass: found.passes, fail: found.fails, ...found.unused },
    next: found.next,
  };
}
