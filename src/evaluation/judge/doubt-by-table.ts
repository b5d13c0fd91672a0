/** Doubts of the approved table about a trial's verdict: it is a second voice, and decides nothing by itself. */
import type { TableVerdict } from '../../scenario/cases/judge-by-table.ts';
import type { Dispute, Verdict, Verification } from '../../scenario/result.ts';

type JudgedTrial = {
  outcome: 'pass' | 'fail';
  /** The verdicts that decided. */
  verdicts: readonly Verdict[];
  /** What the table says of the trial. */
  table: readonly TableVerdict[];
  /** The rules of each checker. */
  rulesOf: ReadonlyMap<string, readonly string[]>;
};

export function doubtByTable({ outcome, verdicts, table, rulesOf }: JudgedTrial): Dispute[] {
  const unmet = table.filter(({ says }) => says === 'not met');
  if (outcome === 'pass')
    return unmet.map(({ rule, text }) =>
      createDispute(rule, `all checks passed, and the approved table says: ${text}`),
    );
  if (unmet.length > 0) return [];
  const failing = verdicts.filter(({ pass }) => !pass);
  const met = failing.map(({ checker, broken, grader }) => {
    const rules = broken === true || grader !== undefined ? [] : (rulesOf.get(checker) ?? []);
    return rules.map((rule) => ({ rule, said: table.filter((one) => one.rule === rule) }));
  });
  // A demand that is not read may be the one that the checker refuses.
  const isAllMet = met.every(
    (rules) =>
      rules.length > 0 && rules.every(({ said }) => said.length > 0 && said.every(({ says }) => says === 'met')),
  );
  if (!isAllMet) return [];
  return met.flat().map(({ rule, said }) => {
    const reason = failing.find(({ checker }) => rulesOf.get(checker)?.includes(rule) === true);
    const texts = said.map(({ text }) => text).join('; ');
    return createDispute(
      rule,
      `checker ${reason?.checker} refused (${reason?.reason}), and the approved table says that ${texts}`,
    );
  });
}

function createDispute(rule: string | undefined, text: string): Dispute {
  return rule === undefined ? { by: 'table', text } : { by: 'table', rule, text };
}

/**
 * Keeps the doubts that the proof allows: a reading counts once it has told right from wrong on gold and other paths, and
 * where a checker refuses only when the table reads the whole rule and words have no part in it.
 */
export function keepProvenDoubts(
  outcome: string,
  disputes: readonly Dispute[],
  { judges = {}, words = [] }: Pick<Verification, 'judges' | 'words'>,
): Dispute[] {
  return disputes.filter(({ by, rule }) => {
    if (by !== 'table' || rule === undefined) return true;
    const judge = judges[rule];
    if (judge?.by.includes('table') !== true) return false;
    return outcome === 'pass' || (judge.reads === 'whole' && !words.some((one) => one.rule === rule));
  });
}
