/** Describes a design's case table for its review: each rule as code reads it, and the faults of the table. */
import { buildTable, type CaseTable } from '../../scenario/cases/case-table.ts';
import { formatCase, demandsText, valueText, whenText } from '../../scenario/cases/format-cases.ts';
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
  const told = new Map<string, string>();
  return {
    attributes: table.attributes.length,
    rules: rules.map((rule) => ({
      id: rule.id,
      lines: listRuleLines(rule.demands === ABOUT_WORDS ? { ...rule, when: rule.when ?? 'all' } : rule).map(
        ({ when, demands }) => ({
          when: whenText(when, table),
          demands:
            Object.keys(demands).length === 0
              ? WORDS_ALONE
              : formatDemands(demands, { id: rule.id, cases, table, told }),
        }),
      ),
      over: rule.over ?? [],
    })),
    findings: findTableFaults(table).map(({ kind, rules: ids, text, example }) => ({
      kind,
      rules: ids,
      text,
      ...omitUndefined({ example: example && formatCase(example, table) }),
    })),
  };
}

/** `told`: each reading that a person has met, with the rule that it stands at. */
type DemandingRule = { id: string; cases: Cases; table: CaseTable; told: Map<string, string> };

/**
 * Says of each demand where it is read, so that a person sees both: what is demanded, and what would count as done. One reading
 * may serve many rules; it is said at the first, and the others point there.
 */
function formatDemands(demands: RuleDemands, { id, cases, table, told }: DemandingRule): string {
  return Object.entries(demands)
    .map(([name, value]) => {
      const { from, as } = longOutcome(cases.outcomes[name] ?? []);
      const forms = toArray(value).flatMap((one) => as?.[String(one)] ?? []);
      const form = forms.length === 0 ? '' : `, which must be ${forms.map(formatForm).join(' or ')}`;
      const demand = demandsText({ [name]: value }, table);
      if (from === undefined) return demand;
      const reading = `${formatReading(from)}${form}`;
      const first = told.get(reading);
      told.set(reading, first ?? id);
      return `${demand} (${first === undefined ? reading : `read as at ${first}`})`;
    })
    .join(', ');
}

function formatForm(form: ReadForm): string {
  if (form === null) return 'nothing';
  return typeof form === 'object' ? `what ${form.at} holds at the start` : valueText(form);
}

/** What each kind of request may change; undefined where the design has no frames. */
export function frameCheck({ cases }: FormatSpec, { rules }: BusinessRules): DesignCheck | undefined {
  if (cases?.frames === undefined) return undefined;
  const table = buildTable(cases, rules);
  const lines = cases.frames.map(
    ({ when, may_change: places }) => `${whenText(when, table)}: ${places.join(', ') || 'nothing'}`,
  );
  return { name: 'what a request may change; all else must stay', ok: true, detail: lines.join(' · ') };
}

const WORDS_ALONE = 'words alone, which conversations show';

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
