/** The sentences of a review that terminal and Markdown share. */
import type { ReviewPack, RuleChange } from '../gate/review-pack.ts';
import { count } from './figures.ts';

/** True when the estimate would pass the run's cap. */
export function overBudget({ effect }: ReviewPack): boolean {
  return effect.spentUsd + effect.estimateUsd > effect.budgetUsd;
}

export function sinceTitle({ since }: ReviewPack): string {
  return since.round === null ? 'NO ROUND WAS APPROVED YET' : `SINCE r${since.round} WAS APPROVED`;
}

/** `2 rules changed, 1 added, 0 removed; format unchanged`. */
export function changesText({ since }: ReviewPack): string {
  const of = (kind: RuleChange['kind']) => since.rules.filter((change) => change.kind === kind).length;
  const format =
    since.format.length === 0
      ? 'format unchanged'
      : count(since.format.length, 'change of format', 'changes of format');
  return `${count(of('changed'), 'rule')} changed, ${of('added')} added, ${of('removed')} removed; ${format}`;
}

export function ruleMark({ kind }: RuleChange): string {
  return { added: '+', removed: '−', changed: '~' }[kind];
}
