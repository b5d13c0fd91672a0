/** Two rules that no known end of a sample satisfies together: evidence that the design contradicts itself. */
import type { CheckerSpec } from '../../scenario/component.ts';
import { problem } from '../../scenario/attribution/problem-code.ts';
import type { Problem, Verdict } from '../../scenario/result.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { TrialRecord } from '../components/trial-record.ts';

/** One way a sample can end, and the verdicts on it. */
export type JudgedEnd = { name: string; played: TrialRecord; verdicts: readonly Verdict[] };

/** `checkers` names the pair, so that neither is blamed for what the rules demand. */
export function findContradictions(
  sample: Sample,
  specs: readonly CheckerSpec[],
  ends: readonly JudgedEnd[],
): { problem: Problem; checkers: [string, string] }[] {
  const listed = specs.filter(({ id }) => sample.checkers.includes(id));
  return listed.flatMap((first, index) =>
    listed.slice(index + 1).flatMap((second) => {
      const rules = [ownRule(sample, first, second), ownRule(sample, second, first)];
      const satisfiesFirst = ends.find(({ verdicts }) => passes(verdicts, first) && rejects(verdicts, second));
      const satisfiesSecond = ends.find(({ verdicts }) => passes(verdicts, second) && rejects(verdicts, first));
      const hasBoth = ends.some(({ verdicts }) => passes(verdicts, first) && passes(verdicts, second));
      if (rules.includes(undefined) || hasBoth || satisfiesFirst === undefined || satisfiesSecond === undefined)
        return [];
      const message =
        `no known end of ${sample.id} satisfies both ${rules[0]} (checker ${first.id}) and ${rules[1]} (checker ` +
        `${second.id}): the ${satisfiesFirst.name} satisfies only the first, the ${satisfiesSecond.name} only the second`;
      const found = { ...problem('rules-contradict', rules.join(', '), message), sample: sample.id };
      return [{ problem: found, checkers: [first.id, second.id] satisfies [string, string] }];
    }),
  );
}

/** A rule that the sample covers, and that only the first of the two checkers judges. */
function ownRule(sample: Sample, checker: CheckerSpec, other: CheckerSpec): string | undefined {
  return checker.rules.find((rule) => sample.covers.includes(rule) && !other.rules.includes(rule));
}

function passes(verdicts: readonly Verdict[], { id }: CheckerSpec): boolean {
  return verdicts.some(({ checker, pass }) => checker === id && pass);
}

function rejects(verdicts: readonly Verdict[], { id }: CheckerSpec): boolean {
  return verdicts.some(({ checker, pass, broken }) => checker === id && !pass && broken !== true);
}
