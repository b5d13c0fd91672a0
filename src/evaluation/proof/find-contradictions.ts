/** Two rules that no known end of a sample satisfies together: evidence that the design contradicts itself. */
import type { CheckerSpec } from '../../scenario/component.ts';
import { sameJson } from '../../scenario/json/json-value.ts';
import { problem } from '../../scenario/attribution/problem-code.ts';
import type { Problem, Verdict } from '../../scenario/result.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { Stage } from '../components/call-tool.ts';
import { checkTrace } from '../judge/check-trace.ts';
import { acceptedEnds } from '../judge/judge-expectation.ts';
import type { TrialRecord } from '../components/trial-record.ts';

/** One way a sample can end, and what its checkers said about it. */
export type JudgedEnd = { name: string; played: TrialRecord; verdicts: readonly Verdict[] };

/** The other ends that `any_of` accepts, judged as if the gold path had led there. */
export async function alternativeEnds(
  sample: Sample,
  gold: TrialRecord,
  checkers: readonly string[],
  { session, paths, base }: Pick<Stage, 'session' | 'paths' | 'base'>,
  signal: AbortSignal,
): Promise<JudgedEnd[]> {
  const others = acceptedEnds(sample, gold.before).ends.filter((end) => !sameJson(end, gold.after));
  const judged: JudgedEnd[] = [];
  for (const [index, after] of others.entries()) {
    const played = { ...gold, after };
    const verdicts = await checkTrace({ sample, played, checkers, session, paths, base }, signal);
    judged.push({ name: `accepted end ${index + 1}`, played, verdicts });
  }
  return judged;
}

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
      const found = problem('rules-contradict', rules.join(', '), message, { sample: sample.id });
      return [{ problem: found, checkers: [first.id, second.id] satisfies [string, string] }];
    }),
  );
}

/** A rule that the sample is about, and that only this one of the two checkers judges. */
function ownRule(sample: Sample, checker: CheckerSpec, other: CheckerSpec): string | undefined {
  return checker.rules.find((rule) => sample.covers.includes(rule) && !other.rules.includes(rule));
}

function passes(verdicts: readonly Verdict[], { id }: CheckerSpec): boolean {
  return verdicts.some(({ checker, pass }) => checker === id && pass);
}

function rejects(verdicts: readonly Verdict[], { id }: CheckerSpec): boolean {
  return verdicts.some(({ checker, pass, broken }) => checker === id && !pass && broken !== true);
}
