/** The case table of a design for its review: what each rule says to code, in words, and what is wrong with the table. */
import { buildTable } from '../../scenario/cases/case-table.ts';
import { caseText, demandsText, whenText } from '../../scenario/cases/case-words.ts';
import { ABOUT_WORDS, linesOf } from '../../scenario/cases/cases.ts';
import { findInTable } from '../../scenario/cases/find-in-table.ts';
import type { BusinessRules, FormatSpec } from '../../scenario/design.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { DesignCheck } from './design-checks.ts';
import type { ReviewPack } from './review-pack.ts';

export type PackCases = NonNullable<ReviewPack['cases']>;

/** Undefined where the design names no cases. */
export function packCases({ rules }: BusinessRules, { cases }: FormatSpec): PackCases | undefined {
  if (cases === undefined) return undefined;
  const table = buildTable(cases, rules);
  return {
    attributes: table.attributes.length,
    rules: rules.map((rule) => ({
      id: rule.id,
      lines: linesOf(rule.demands === ABOUT_WORDS ? { ...rule, when: rule.when ?? 'all' } : rule).map(
        ({ when, demands }) => ({
          when: whenText(when, table),
          demands: Object.keys(demands).length === 0 ? WORDS_ALONE : demandsText(demands, table),
        }),
      ),
      over: rule.over ?? [],
    })),
    findings: findInTable(table).map(({ kind, rules: ids, text, example }) => ({
      kind,
      rules: ids,
      text,
      ...omitUndefined({ example: example && caseText(example, table) }),
    })),
  };
}

const WORDS_ALONE = 'words alone, which conversations show';

export const NO_CASES =
  'not checked: the design names no cases, so code can find no conflict, no gap and no case without a sample';

/** Their findings are listed one by one where there is room. */
export const CASE_CHECKS: readonly [string, string, ...string[]] = [
  'the rules agree on every case',
  'some rule decides every case',
  // As packs of earlier versions name it.
  'no case has two demands',
];

/** What is wrong needs a second look; a rule that repeats another is shown and stops nobody. */
export function caseChecks(cases: PackCases | undefined): DesignCheck[] {
  if (cases === undefined) return [{ name: 'cases of the rules', ok: true, skipped: true, detail: NO_CASES }];
  const texts = (kind: PackCases['findings'][number]['kind']) =>
    cases.findings.filter((one) => one.kind === kind).map(({ text }) => text);
  const searched = `${cases.rules.length} rules over ${cases.attributes} attributes, every case`;
  return [check(CASE_CHECKS[0], texts('conflict'), searched), check(CASE_CHECKS[1], texts('gap'), searched)];
}

function check(name: string, faults: readonly string[], fine: string): DesignCheck {
  return { name, ok: faults.length === 0, detail: faults.length === 0 ? fine : faults.join(' · ') };
}
