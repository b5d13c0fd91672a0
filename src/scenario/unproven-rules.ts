/** The judges of each rule of a design, and the rules that nothing proves: a rate says nothing about those. */
import type { GraderReport } from './grader.ts';
import type { UnprovenRule } from './proof-strength.ts';
import type { Verification } from './result.ts';

type Proof = Pick<Verification, 'coverage' | 'judges' | 'words' | 'problems'>;
type Terms = { graders?: readonly GraderReport[] | undefined; allowed?: Readonly<Record<string, string>> | undefined };

/** Returns for example `{R1: ['table (in part)', 'checker'], R2: []}`; nobody judges R2. */
export function listRuleJudges({ coverage, judges }: Pick<Proof, 'coverage' | 'judges'>): Record<string, string[]> {
  const rules = Object.entries(coverage).map(([rule, { checkers, graders = [] }]) => {
    const judged = judges?.[rule];
    const named = [...(checkers.length > 0 ? ['checker'] : []), ...(graders.length > 0 ? ['grader'] : [])];
    const by = judged?.by.map((one) => (one === 'table' && judged.reads === 'part' ? 'table (in part)' : one));
    return [rule, by ?? named] as const;
  });
  return Object.fromEntries(rules);
}

/** `allowed`: the rules that scenario.yaml takes without a proof, each with its reason. */
export function listUnprovenRules(proof: Proof, { graders = [], allowed = {} }: Terms): UnprovenRule[] {
  return Object.entries(listRuleJudges(proof)).flatMap(([rule, by]) => {
    const why = explainUnproven(rule, by, { ...proof, reports: graders });
    const reason = allowed[rule];
    return why === undefined ? [] : [{ rule, why, ...(reason === undefined ? {} : { allowed: reason }) }];
  });
}

function explainUnproven(
  rule: string,
  by: readonly string[],
  { coverage, words = [], problems, reports }: Proof & { reports: readonly GraderReport[] },
): string | undefined {
  const { samples = [], graders = [] } = coverage[rule] ?? {};
  if (by.length === 0) return 'nobody judges it';
  const isCounted = (id: string): boolean => reports.find((one) => one.id === id)?.counts !== false;
  if (by.every((one) => one === 'grader') && !graders.some(isCounted))
    return 'only graders judge it, and none of them counts yet';
  if (words.some((one) => one.rule === rule && !one.proven)) return 'nothing shows that anybody listens to the user';
  const faulty = new Set(problems.flatMap(({ sample }) => sample ?? []));
  const isLeftOut = samples.length > 0 && samples.every((id) => faulty.has(id));
  return isLeftOut ? 'its samples do not prove themselves' : undefined;
}
