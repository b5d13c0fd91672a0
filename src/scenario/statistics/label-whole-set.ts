/** The label of a whole comparison, by the levels that several comparisons with one baseline share. */
import { RATE_EPSILON } from '../percent.ts';

export const ALPHA = 0.05;
/** Keeps a p that equals the limit up to a rounding error from counting as below it. */
const BELOW = 1 - 1e-9;

type WholeSetLabel = 'regression' | 'not enough data' | 'soft' | 'better' | 'same';
type WholeSetTest = {
  p: number;
  pBetter: number;
  clearest: number;
  rates: { before: number; now: number };
  comparisons: number;
};

export function labelWholeSet({ p, pBetter, clearest, rates, comparisons }: WholeSetTest): WholeSetLabel {
  const limit = (ALPHA / comparisons) * BELOW;
  // The same shares summed in another order can differ in the last digit.
  const isWorse = rates.now < rates.before - RATE_EPSILON;
  if (isWorse && p < limit) return 'regression';
  if (clearest > ALPHA / comparisons && (isWorse || clearest === 1)) return 'not enough data';
  if (isWorse) return 'soft';
  return pBetter < limit ? 'better' : 'same';
}
