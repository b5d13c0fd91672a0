/** Problems that follow from a file that could not be loaded: the cause is shown once, and they come back if they are real. */
import type { ProblemCode } from '../../scenario/attribution/problem-code.ts';
import type { Problem } from '../../scenario/result.ts';

/** What a missing sample, or a missing checker, makes look wrong elsewhere. */
const OF_SAMPLE: readonly ProblemCode[] = [
  'too-few-samples',
  'rule-without-sample',
  'checker-unused',
  'checker-cannot-fail',
];
const OF_CHECKER: readonly ProblemCode[] = ['rule-without-checker', 'null-passes', 'wrong-passes', 'mutant-passes'];

/** `refused` are the problems of loading: their layers say which kind of file is missing. */
export function withoutConsequences(found: readonly Problem[], refused: readonly Problem[]): Problem[] {
  const isMissing = (layer: number) => refused.some((one) => one.layer === layer);
  const follows = new Set<string>([...(isMissing(4) ? OF_SAMPLE : []), ...(isMissing(3) ? OF_CHECKER : [])]);
  return found.filter(({ code }) => !follows.has(code));
}
