/** Describes a design's case table for its review: each rule as code reads it, and the faults of the table. */
import { buildTable, type CaseTable } from '../../scenario/cases/case-table.ts';
import { formatCase, demandsText, describePrecedence, valueText, whenText } from '../../scenario/cases/format-cases.ts';
import { formatReading, type ReadForm } from '../../scenario/cases/readings.ts';
import {
  ABOUT_WORDS,
  listRuleLines,
  longOutcome,
  toArray,
  type Cases,
  type RuleDemands,
} from '../../scenario/cases/cases.ts';
import { findTableFaults } from '../../scenario/cases/find-table-faults.ts';
import type { BusinessRules, FormatSpec } from '../../scenario/design.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { DesignCheck } from './design-checks.ts';
import type { ReviewPack } from './review-pack.ts';

export type PackCases = NonNullable<ReviewPack['cases']>;

/** Returns undefined when the design names no cases. */
export function packCases({ rules }: BusinessRules, { cases }: FormatSpec): PackCases | undefined {
  if (cases === undefined) return undefined;
  const table = buildTable(cases, rules);
  return {
    attributes: table.attributes.length,
    rules: rules.map((rule) => ({
      id: rule.id,
      lines: listRuleLines(rule.demands === ABOUT_WORDS ? { ...rule, when: rule.when ?? 'all' } : rule).map(
        ({ when, demands }) => ({
          when: whenText(when, table),
          demands: Object.keys(demands).length === 0 ? WORDS_ALONE : formatDemands(demands, { cases, table }),
        }),
      ),
      over: (rule.over ?? []).map((other) => describePrecedence(rule.id, other, table)),
    })),
    ...omitUndefined({ readings: listReadings(cases, table) }),
    findings: findTableFaults(table).map(({ example, outcome: _outcome, ...fault }) =>
      omitUndefined({ ...fault, example: example && formatCase(example, table) }),
    ),
  };
}

/** Says where each outcome is read, so that a person sees what would count as done. */
function listReadings({ outcomes }: Cases, table: CaseTable): string[] | undefined {
  const readings = Object.entries(outcomes).flatMap(([name, outcome]) => {
    const { from } = longOutcome(outcome);
    const { label = name } = table.outcomes.find((one) => one.name === name) ?? {};
    return from === undefined ? [] : [`${label}: ${formatReading(from)}`];
  });
  return readings.length === 0 ? undefined : readings;
}

function formatDemands(demands: RuleDemands, { cases, table }: { cases: Cases; table: CaseTable }): string {
  return Object.entries(demands)
    .map(([name, value]) => {
      const { as } = longOutcome(cases.outcomes[name] ?? []);
      const forms = toArray(value).flatMap((one) => as?.[String(one)] ?? []);
      const form = forms.length === 0 ? '' : ` (written there as ${forms.map(formatForm).join(' or ')})`;
      return `${demandsText({ [name]: value }, table)}${form}`;
    })
    .join(', ');
}

function formatForm(form: ReadForm): string {
  if (form === null) return 'nothing';
  return typeof form === 'object' ? `what ${form.at} holds at the start` : valueText(form);
}

/** The places that each kind of request may change; undefined where the design has no frames. */
export function frameCheck({ cases }: FormatSpec, { rules }: BusinessRules): DesignCheck | undefined {
  if (cases?.frames === undefined) return undefined;
  const table = buildTable(cases, rules);
  const lines = cases.frames.map(
    ({ when, may_change: places }) => `${whenText(when, table)}: ${places.join(', ') || 'nothing'}`,
  );
  return { name: 'what a request may change; all else must stay', ok: true, detail: lines.join(' · ') };
}

const WORDS_ALONE = 'judged by the words of the conversation';

export const NO_CASES =
  'not checked: the design names no cases, so code can find no conflict, no gap and no case without a sample';

/** Names of the checks whose findings are also listed one by one where space allows. */
export const CASE_CHECKS: readonly [string, string, ...string[]] = [
  'the rules agree on every case',
  'some rule decides every case',
  // Packs of earlier versions use this name.
  'no case has two demands',
];

/** Checks the case table: faults need a second look, and a rule that repeats another is shown but stops nobody. */
export function caseChecks(cases: PackCases | undefined): DesignCheck[] {
  if (cases === undefined) return [{ name: 'cases of the rules', ok: true, skipped: true, detail: NO_CASES }];
  const texts = (kind: PackCases['findings'][number]['kind']) =>
    cases.findings.filter((one) => one.kind === kind).map(({ text }) => text);
  const searched = `${cases.rules.length} rules over ${cases.attributes} attributes, every case`;
  return [
    createCheck(CASE_CHECKS[0], texts('conflict'), searched),
    createCheck(CASE_CHECKS[1], texts('gap'), searched),
  ];
}

function createCheck(name: string, faults: readonly string[], fine: string): DesignCheck {
  return { name, ok: faults.length === 0, detail: faults.length === 0 ? fine : faults.join(' · ') };
}
