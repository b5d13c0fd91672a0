/** Finds the changes between two designs in a reviewer's terms: rules and format instead of lines. */
import type { BusinessRule, BusinessRules } from '../../scenario/design.ts';
import { listRuleLines, type RuleLine } from '../../scenario/cases/cases.ts';
import { demandsText, whenText } from '../../scenario/cases/format-cases.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { RuleChange } from './review-pack.ts';

/** The agent's own account of one of its changes, given when it submits the design. */
export type ClaimedChange = { rule: string; reason: string; evidence: readonly string[] };

/** Lists rules in the order of the new design, removed ones last. Without an earlier design every rule is added. */
export function ruleChanges(
  before: BusinessRules | undefined,
  after: BusinessRules,
  claims: readonly ClaimedChange[],
): RuleChange[] {
  const change = (kind: RuleChange['kind'], rule: BusinessRule, words: Pick<RuleChange, 'before' | 'after'>) => {
    const mine = claims.filter((claim) => claim.rule === rule.id);
    const reason = mine.map((claim) => claim.reason).join(' ') || undefined;
    const evidence = [...new Set(mine.flatMap((claim) => claim.evidence))];
    return omitUndefined({ kind, id: rule.id, title: rule.title, ...words, reason, evidence });
  };
  const old = indexById(before?.rules ?? []);
  const now = indexById(after.rules);
  const current = [...now.values()].flatMap((rule) => {
    const earlier = old.get(rule.id);
    if (earlier === undefined) return [change('added', rule, { after: rule.text.trim() })];
    const difference = diffRule(earlier, rule);
    return difference === undefined ? [] : [change('changed', rule, difference)];
  });
  const removed = [...old.values()].filter((rule) => !now.has(rule.id));
  return [...current, ...removed.map((rule) => change('removed', rule, { before: rule.text.trim() }))];
}

/** Indexes rules by id; for a duplicated id, which is a failed check, the first rule is compared. */
function indexById(rules: readonly BusinessRule[]): Map<string, BusinessRule> {
  const found = new Map<string, BusinessRule>();
  for (const rule of rules) if (!found.has(rule.id)) found.set(rule.id, rule);
  return found;
}

/** The binding parts of a rule, each as lines; a rule in which none of them differs needs no decision. */
const PARTS: readonly (readonly [name: string, list: (rule: BusinessRule) => string[]])[] = [
  ['', (rule) => [rule.text.trim()]],
  ['title: ', (rule) => [rule.title.trim()]],
  ['severity: ', (rule) => [rule.severity]],
  ['applies to: ', (rule) => [rule.applies_to.toSorted().join(', ') || 'no tool']],
  ['source: ', (rule) => [rule.source ?? 'none']],
  ['quote: ', (rule) => [rule.quote ?? 'none']],
  ['case: ', (rule) => listRuleLines(rule).map(formatLine)],
  ['goes before: ', (rule) => [rule.over?.join(', ') ?? 'none']],
];

function formatLine({ when, demands }: RuleLine): string {
  return `${whenText(when, { attributes: [] })} → ${demandsText(demands, { outcomes: [] }) || 'judged by the words'}`;
}

/** Shows the lines that the other design does not have: of a long table only what was changed. */
function diffRule(before: BusinessRule, after: BusinessRule): Pick<RuleChange, 'before' | 'after'> | undefined {
  const show = (rule: BusinessRule, other: BusinessRule) =>
    PARTS.flatMap(([name, list]) => {
      const others = list(other);
      return list(rule).flatMap((line) => (others.includes(line) ? [] : [`${name}${line}`]));
    }).join('\n');
  const shown = [show(before, after), show(after, before)].map((lines) => (lines === '' ? undefined : lines));
  return shown.every((lines) => lines === undefined) ? undefined : omitUndefined({ before: shown[0], after: shown[1] });
}
