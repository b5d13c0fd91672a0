/** Says in one sentence what a comparison of two results can tell and what not: the same on terminals, pages and in JSON. */
import { formatPercent, RATE_EPSILON } from '../../scenario/percent.ts';
import type { BaselineComparison } from '../../scenario/statistics/compare-baseline.ts';
import { formatCount } from '../text/number-format.ts';

export function describeComparison(compared: BaselineComparison): string {
  const { rates, label, now, p, pBetter, lostTarget, because } = compared;
  const change = rates.now - rates.before;
  const sides = `${formatPercent(rates.now)} of trials pass, ${formatPercent(rates.before)} before`;
  const samples = formatCount(now.total, 'sample');
  const limits = because === undefined ? '' : `; ${because}, so only the rates are compared`;
  if (label === 'incomplete') return `incomplete: trials have no verdict, so nothing can be told: ${sides}${limits}.`;
  if (label === 'regression' && change > -RATE_EPSILON)
    return `regression: a sample got worse, and chance alone hardly explains it (${sides})${limits}.`;
  if (Math.abs(change) < RATE_EPSILON) return `No difference: ${sides}; ${describeReach(compared, samples)}${limits}.`;
  const points = formatPoints(change);
  const which = change < 0 ? 'lower' : 'higher';
  const alarm = label === 'regression' ? 'regression: ' : '';
  const chance = `(p ${(change < 0 ? p : pBetter).toFixed(3)})`;
  const told =
    lostTarget === undefined
      ? `${tellChance(label, samples)} ${chance}`
      : `the target of ${formatPercent(lostTarget)} was met and is missed now ${chance}`;
  return `${alarm}${points} ${which} (${sides}): ${told}${limits}.`;
}

function tellChance(label: BaselineComparison['label'], samples: string): string {
  if (label === 'better') return `with ${samples} chance alone hardly explains that`;
  if (label === 'regression') return 'chance alone hardly explains what got worse';
  if (label === 'not enough data') return `with ${samples} that cannot be told from chance`;
  return `with ${samples} that may be chance`;
}

/** Names the smallest drop that would have been noticed, so that no difference is not read as proof of none. */
function describeReach({ detects }: Pick<BaselineComparison, 'detects'>, samples: string): string {
  return detects === undefined
    ? `with ${samples} no drop could be noticed`
    : `with ${samples} only a drop of ${formatPoints(detects)} or more is likely to be noticed`;
}

/** Whole points, because so few samples give no finer ones; tenths where a whole one would say that nothing changed. */
function formatPoints(change: number): string {
  const points = Math.abs(change) * 100;
  const rounded = points < 1 ? Math.max(0.1, Math.round(points * 10) / 10) : Math.round(points);
  return formatCount(rounded, 'point');
}
