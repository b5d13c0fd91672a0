/** Reasons not to approve by habit: a check that found something, an estimate beyond the cap. */
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import { paidText, formatUsd } from '../text/number-format.ts';
import { isOverBudget } from './review-texts.ts';

/** Lists why approving needs a second confirmation; empty when it does not. */
export function listApprovalDoubts(pack: ReviewPack): string[] {
  const made = pack.checks.filter(({ skipped }) => skipped === undefined);
  const failed = made.filter(({ ok }) => !ok).length;
  const { spentUsd, uncertainUsd, estimateUsd, budgetUsd } = pack.effect;
  return [
    ...(failed === 0 ? [] : [`${failed} of ${made.length} machine checks found something wrong.`]),
    ...(isOverBudget(pack)
      ? [
          `${paidText({ usd: spentUsd, uncertainUsd })} spent and an estimate of ${formatUsd(estimateUsd)} pass the cap of ${formatUsd(budgetUsd)}.`,
        ]
      : []),
  ];
}
