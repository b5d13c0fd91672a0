import { describe, expect, it } from 'vitest';
import { changeText, compareIterations } from '../../../src/report/run/compare-iterations.ts';
import { renderIterationMarkdown } from '../../../src/report/run/iteration-markdown.ts';
import { failing, flaky, results, sample, unscored } from '../makers.ts';

describe('compareIterations', () => {
  const before = results([failing('a', 3, {}), failing('b', 3, {}), sample('c'), sample('gone')]);
  const now = results([failing('a', 3, {}), sample('b'), failing('c', 4, {}), failing('d', 2, {}), flaky, unscored], {
    iteration: 2,
    designDigest: 'other',
  });

  it('tells new, added, still, fixed and vanished samples apart: a new sample is never newly failing', () => {
    const comparison = compareIterations(now, before);
    const ids = (['new', 'added', 'still', 'fixed'] as const).map((change) => comparison[change].map(({ id }) => id));
    expect(ids).toEqual([['c'], ['d', 'wavering'], ['a'], ['b']]);
    expect(comparison.gone).toEqual(['gone']);
  });

  it('says when a sample fails by another cause than before', () => {
    const as = (outcome: 'pass' | 'fail', cause?: '2' | '4a' | '4b') => ({
      outcome,
      ...(cause === undefined ? {} : { cause }),
    });
    expect(changeText(as('fail', '4b'), as('fail', '2'))).toBe(
      'still failing, now by the subject instead of the tools',
    );
    expect(changeText(as('fail', '4b'), as('fail', '4b'))).toBe('still failing');
    expect(changeText(as('fail', '4b'), as('fail'))).toBe('still failing');
    expect(changeText(as('fail'), as('pass'))).toBe('newly failing');
    expect(changeText(as('fail'), undefined)).toBe('new sample');
    expect(renderIterationMarkdown(now, before)).toMatch(/new, and failing: `d`, `wavering` \(its trials disagree\)/);
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
