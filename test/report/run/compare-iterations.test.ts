import { describe, expect, it } from 'vitest';
import { compareIterations } from '../../../src/report/run/compare-iterations.ts';
import { renderIterationMarkdown } from '../../../src/report/run/iteration-markdown.ts';
import { failing, flaky, results, sample, unscored } from '../makers.ts';

describe('compareIterations', () => {
  const before = results([failing('a', 3, {}), failing('b', 3, {}), sample('c'), sample('gone')]);
  const now = results([failing('a', 3, {}), sample('b'), failing('c', 4, {}), failing('d', 2, {}), flaky, unscored], {
    iteration: 2,
    designDigest: 'other',
  });

  it('tells new, still, fixed, flaky and vanished samples apart', () => {
    const comparison = compareIterations(now, before);
    const ids = (['new', 'still', 'fixed', 'flaky'] as const).map((change) => comparison[change].map(({ id }) => id));
    expect(ids).toEqual([['c', 'd', 'wavering'], ['a'], ['b'], ['wavering']]);
    expect(comparison.gone).toEqual(['gone']);
  });

  it('says when the design changed, for then the rates measure different things', () => {
    expect(compareIterations(now, before).otherDesign).toBe(true);
    expect(compareIterations(now, { ...before, designDigest: 'other' }).otherDesign).toBe(false);
    expect(renderIterationMarkdown(now, before)).toContain('the two rates measure different things');
  });

  it('does not call an unscored sample fixed', () => {
    const lost = results([sample('a', { outcome: 'unscored' })], { iteration: 2 });
    expect(compareIterations(lost, before).fixed).toEqual([]);
  });
});
