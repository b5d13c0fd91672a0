/** The rules of a design by risk: disputed ones and those without source or sample, then the rest in one fold. */
import type { ReviewPack } from '../../../gate/rules/review-pack.ts';
import { html, type Html } from '../../../report/html/html.ts';
import { formatCount } from '../../../report/text/number-format.ts';
import { commentsOnRule, earlierComments } from '../design/earlier-comments.ts';
import { ruleContext, markButton } from './rule-context.ts';
import { commentField, foldRows, isReviewed, renderReason, type RowContext } from './change-rows.ts';

type PackRule = ReviewPack['rules'][number];

/** Returns the reasons to look at a rule before the others; empty when there are none. */
export function listRisks({ id, source }: Pick<PackRule, 'id' | 'source'>, pack: ReviewPack): string[] {
  const { cases, coverage } = pack;
  const kind = findRoundChange(id, pack)?.kind;
  const disputed = cases?.findings.filter(({ kind, rules }) => kind !== 'subsumed' && rules.includes(id)) ?? [];
  const tests = coverage?.rules.find((one) => one.id === id);
  return [
    ...disputed.map(({ rules }) => `disputed with ${rules.filter((one) => one !== id).join(', ') || 'itself'}`),
    ...(kind === undefined ? [] : [`${kind} in this round`]),
    ...(source !== undefined && source.file === undefined ? ['no source'] : []),
    ...(coverage !== undefined && (tests === undefined || tests.samples.length === 0) ? ['no sample'] : []),
  ];
}

/** While no design is approved, each rule is new to somebody; what the newest round changed is said at the rule. */
const findRoundChange = (id: string, { since }: ReviewPack) =>
  since.round === null ? since.rules.find((change) => change.id === id) : undefined;

/** Disputed rules come first; otherwise the order of the design is kept. */
export function splitByRisk(rules: readonly PackRule[], pack: ReviewPack): { risky: PackRule[]; fine: PackRule[] } {
  const weighed = rules.map((rule) => ({ rule, risks: listRisks(rule, pack) }));
  const weight = ({ risks }: (typeof weighed)[number]) => (risks.some((one) => one.startsWith('disputed')) ? 2 : 1);
  const risky = weighed.filter(({ risks }) => risks.length > 0).toSorted((one, other) => weight(other) - weight(one));
  return {
    risky: risky.map(({ rule }) => rule),
    fine: weighed.filter(({ risks }) => risks.length === 0).map(({ rule }) => rule),
  };
}

export function ruleRows(rules: readonly PackRule[], context: RowContext, asRows: boolean): Html[] {
  return rules.map((rule) => {
    const { id, title, text, severity } = rule;
    const risks = listRisks(rule, context.pack).filter((risk) => risk !== 'no source');
    const change = findRoundChange(id, context.pack);
    const inside = html`<h3>
        <span>${id} ${title}</span
        >${severity === 'must' ? undefined : html`<span class="pill plain">${severity}</span>`}
        ${risks.map((risk) => html`<span class="pill warn">${risk}</span>`)}
        ${asRows && context.writable ? markButton(id, context) : undefined}
      </h3>
      <p class="words">${text}</p>
      ${change && renderReason(change, context)}${ruleContext(id, context)}`;
    if (!asRows) return html`<article class="row claim">${inside}</article>`;
    return html`<article class="row claim" data-row tabindex="-1" id="${id}">
      ${inside}${earlierComments(commentsOnRule(context.pack, id))}${commentField(id, context)}
    </article>`;
  });
}

export function renderRulesByRisk(rules: readonly PackRule[], context: RowContext): Html {
  const isDisputed = ({ id }: PackRule) => listRisks({ id }, context.pack).some((risk) => risk.startsWith('disputed'));
  const isDone = (rule: PackRule) => isReviewed(rule.id, context) && !isDisputed(rule);
  const { risky, fine } = splitByRisk(
    rules.filter((rule) => !isDone(rule)),
    context.pack,
  );
  const done = rules.filter(isDone);
  const quoted = fine.every(({ source }) => source?.file !== undefined);
  const which = risky.length === 0 ? 'all' : 'the other';
  const finding = quoted ? 'each quotes its source' : 'nothing was found';
  const words = `Show ${which} ${formatCount(fine.length, 'rule')}: ${finding}`;
  const reviewed = `${formatCount(done.length, 'rule')} that you have reviewed`;
  return html`${ruleRows(risky, context, true)}
  ${foldRows(ruleRows(fine, context, true), words)}${foldRows(ruleRows(done, context, true), reviewed)}`;
}
