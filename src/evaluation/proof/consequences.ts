/** Leaves out problems that only follow from a file that could not be loaded. */
import type { ProblemCode } from '../../scenario/attribution/problem-code.ts';
import type { Problem } from '../../scenario/result.ts';

/** Problems that follow from a missing sample, and from a missing checker. */
const SAMPLE_CONSEQUENCES: readonly ProblemCode[] = [
  'too-few-samples',
  'rule-without-sample',
  'checker-unused',
  'checker-cannot-fail',
];
const CHECKER_CONSEQUENCES: readonly ProblemCode[] = [
  'rule-without-checker',
  'null-passes',
  'wrong-passes',
  'mutant-passes',
];

/** `refused` are the problems of loading: their layers say which kind of file is missing. Ambiguous JSON is loaded. */
export function withoutConsequences(found: readonly Problem[], refused: readonly Problem[]): Problem[] {
  const isMissing = (layer: number) => refused.some((one) => one.layer === layer && one.code !== 'json-ambiguous');
  const follows = new Set<string>([
    ...(isMissing(4) ? SAMPLE_CONSEQUENCES : []),
    ...(isMissing(3) ? CHECKER_CONSEQUENCES : []),
  ]);
  return found.filter(({ code }) => !follows.has(code));
}

export function dropRepeatedProblems(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((found) => [JSON.stringify(found), found])).values()];
}
