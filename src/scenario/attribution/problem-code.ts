/** The stable codes of the findings of verify-components, each with the layer that owns it by default. */
import type { Layer, Problem } from '../result.ts';

export const PROBLEM_CODES = {
  /** A file that does not have its shape; the layer follows the folder. */
  'file-refused': 4,
  schema: 4,
  /** JSON that `JSON.parse` takes, and changes in silence. */
  'json-ambiguous': 4,
  /** A demand of the design that cannot be checked. */
  'format-unsupported': 1,
  'rules-contradict': 1,
  'tool-missing': 2,
  'tool-unknown': 2,
  'tool-schema-unsupported': 2,
  'tool-example-invalid': 2,
  'tool-failed': 2,
  'tool-nondeterministic': 2,
  'tool-changes-world': 2,
  'tool-suspect': 2,
  'tool-fragile': 2,
  'checker-rule-unknown': 3,
  'checker-unused': 3,
  'checker-broken': 3,
  'checker-nondeterministic': 3,
  'checker-rejects-gold': 3,
  'checker-judges-path': 3,
  'checker-cannot-fail': 3,
  'checker-accepts-silence': 3,
  'checker-demands-spelling': 3,
  'checker-demands-yes': 3,
  'checker-ignores-words': 3,
  'checker-ignores-order': 3,
  'grader-rule-unknown': 3,
  'grader-id-taken': 3,
  'grader-unused': 3,
  'grader-fails-proof': 3,
  'grader-cannot-fail': 3,
  'grader-unproven': 3,
  'rule-graded-only': 3,
  'rule-without-checker': 3,
  'rule-without-sample': 4,
  'sample-rule-unknown': 4,
  'case-untrue': 4,
  'sample-category-unknown': 4,
  'sample-tool-unknown': 4,
  'sample-checker-unknown': 4,
  'sample-grader-unknown': 4,
  'too-few-samples': 4,
  'world-invalid': 4,
  'expectation-invalid': 4,
  'act-invalid': 4,
  'user-unlike-gold': 4,
  'gold-invalid': 4,
  'gold-fails': 4,
  'null-passes': 4,
  'wrong-passes': 4,
  'mutant-passes': 4,
  'words-not-proven': 4,
  /** Disagreements with the approved table, by the side that stands alone; only designs with readings have them. */
  'table-against-all': 1,
  'table-against-sample': 4,
  'checker-misses-demand': 3,
  'reading-never-moves': 1,
  /** Relations between two calls of a tool that do not hold. */
  'tool-leaks-records': 2,
  'tool-answer-fixed': 2,
  'tool-key-order': 2,
  'tool-identity-loose': 2,
  'tool-refusal-writes': 2,
  'tool-success-empty': 2,
  'tool-answer-untrue': 2,
  'tool-overwrites': 2,
  'tool-guard-missing': 2,
  'tool-against-table': 2,
  'tool-lists-others': 2,
  'tool-books-fixed': 2,
  'tool-spelling': 2,
  'tool-does-twice': 2,
  'tool-offers-refused': 2,
} as const satisfies Record<string, Layer>;

export type ProblemCode = keyof typeof PROBLEM_CODES;

/** Rises when the proof refuses more, or the target needs more. A run keeps the version that it began with; absent: 1. */
export const RULES_VERSION = 3;

/** The version since which a target is met only when each rule is proven. */
export const PROVEN_SINCE = 3;

/**
 * The version since which a rule refuses, where that is later than 1: a run of an earlier version has its finding as a
 * remark. A rule that becomes stricter needs a code of its own for what it refuses in addition.
 */
const REFUSES_SINCE: Partial<Record<ProblemCode, number>> = {
  'json-ambiguous': 2,
  'checker-nondeterministic': 2,
  'checker-accepts-silence': 2,
  'checker-demands-spelling': 2,
  'rule-graded-only': 2,
  'case-untrue': 2,
  'user-unlike-gold': 2,
  'table-against-all': 2,
  'table-against-sample': 2,
  'checker-misses-demand': 2,
  'reading-never-moves': 2,
  'tool-identity-loose': 3,
  'tool-key-order': 3,
  'tool-refusal-writes': 3,
  'tool-overwrites': 3,
  'tool-books-fixed': 3,
};

/** Relations that hold for every tool, whatever its design says: a broken one refuses the submission. */
export function isSureRelation({ code }: Pick<Problem, 'code'>): boolean {
  return code.startsWith('tool-') && REFUSES_SINCE[code as ProblemCode] === 3;
}

/** Found by playing the user: today's may answer otherwise than the one that a run began with. */
const OF_USER: ProblemCode = 'user-unlike-gold';

/** Tells findings that refuse under these rules, and for today's user, from those of later rules or of another user. */
export function separateByRules(
  problems: readonly Problem[],
  rules: number,
  hasOtherUser = false,
): { refusing: Problem[]; later: Problem[] } {
  const isLater = ({ code }: Problem): boolean =>
    (REFUSES_SINCE[code as ProblemCode] ?? 1) > rules || (hasOtherUser && code === OF_USER);
  return { refusing: problems.filter((found) => !isLater(found)), later: problems.filter(isLater) };
}

/** Makes a problem in the layer that owns its code. */
export function createProblem(code: ProblemCode, component: string, message: string): Problem {
  return { layer: PROBLEM_CODES[code], code, component, message };
}

/** Makes a factory for one sample's problems; they blame the sample unless they name another component. */
export function createProblemFactory(sample: string) {
  return (code: ProblemCode, message: string, component = sample): Problem => ({
    ...createProblem(code, component, `samples/${sample}.json: ${message}`),
    sample,
  });
}

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
