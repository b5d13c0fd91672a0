/** Two rules that no known end of a sample satisfies together: evidence that the design contradicts itself. */
import type { CheckerSpec } from '../../scenario/component.ts';
import { createProblem } from '../../scenario/attribution/problem-code.ts';
import { buildTable } from '../../scenario/cases/case-table.ts';
import { findTableFaults } from '../../scenario/cases/find-table-faults.ts';
import type { Design } from '../../scenario/design.ts';
import type { Problem, Verdict } from '../../scenario/result.ts';
import type { Sample } from '../../scenario/sample.ts';
import type { TrialRecord } from '../components/trial-record.ts';

/** One way a sample can end, and the verdicts on it. */
export type JudgedEnd = { name: string; played: TrialRecord; verdicts: readonly Verdict[] };

/** `rules` lists, for each of the two checkers, the rules that only this one judges. */
export type Contradiction = {
  problem: Problem;
  checkers: [string, string];
  rules: readonly [readonly string[], readonly string[]];
};

/**
 * Whether code has read both sides in the table of cases, and found no case in which they demand different things: then two
 * checkers that disagree show a faulty checker, and not a faulty design. False where the table does not say.
 */
export function isSettledByCases({ rules: { rules }, format: { cases } }: Design): (found: Contradiction) => boolean {
  if (cases === undefined) return () => false;
  const table = buildTable(cases, rules);
  const unread = new Set(table.unread);
  const conflicts = findTableFaults(table).filter(({ kind }) => kind === 'conflict');
  return ({ rules: [some, others] }) =>
    some.every((one) =>
      others.every(
        (other) =>
          !unread.has(one) &&
          !unread.has(other) &&
          !conflicts.some((conflict) => [one, other].every((rule) => conflict.rules.includes(rule))),
      ),
    );
}

/** Finds pairs of checkers that no end satisfies; neither is blamed alone for what the rules demand. */
export function findContradictions(
  sample: Sample,
  specs: readonly CheckerSpec[],
  ends: readonly JudgedEnd[],
): Contradiction[] {
  const listed = specs.filter(({ id }) => sample.checkers.includes(id));
  return listed.flatMap((first, index) =>
    listed.slice(index + 1).flatMap((second) => {
      const own = [ownRules(sample, first, second), ownRules(sample, second, first)] as const;
      const rules = own.map(([rule]) => rule);
      const satisfiesFirst = ends.find(({ verdicts }) => hasPassed(verdicts, first) && hasRejected(verdicts, second));
      const satisfiesSecond = ends.find(({ verdicts }) => hasPassed(verdicts, second) && hasRejected(verdicts, first));
      const hasBoth = ends.some(({ verdicts }) => hasPassed(verdicts, first) && hasPassed(verdicts, second));
      if (rules.includes(undefined) || hasBoth || satisfiesFirst === undefined || satisfiesSecond === undefined)
        return [];
      const message =
        `no known end of ${sample.id} satisfies both ${rules[0]} (checker ${first.id}) and ${rules[1]} (checker ` +
        `${second.id}): the ${satisfiesFirst.name} satisfies only the first, the ${satisfiesSecond.name} only the second`;
      const found = { ...createProblem('rules-contradict', rules.join(', '), message), sample: sample.id };
      return [{ problem: found, checkers: [first.id, second.id], rules: own }];
    }),
  );
}

/** Rules that the sample covers, and that only the first of the two checkers judges. */
function ownRules(sample: Sample, checker: CheckerSpec, other: CheckerSpec): string[] {
  return checker.rules.filter((rule) => sample.covers.includes(rule) && !other.rules.includes(rule));
}

function hasPassed(verdicts: readonly Verdict[], { id }: CheckerSpec): boolean {
  return verdicts.some(({ checker, pass }) => checker === id && pass);
}

function hasRejected(verdicts: readonly Verdict[], { id }: CheckerSpec): boolean {
  return verdicts.some(({ checker, pass, broken }) => checker === id && !pass && broken !== true);
}
