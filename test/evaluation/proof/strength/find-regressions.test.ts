/** What an earlier proof caught and a later one does not. */
import { describe, expect, test } from 'vitest';
import { findRegressions } from '../../../../src/evaluation/proof/strength/find-regressions.ts';
import type { ProofStrength } from '../../../../src/scenario/proof-strength.ts';

const NONE = { caught: 0, total: 0 };
const survivor = { kind: 'shift-boundary', component: 'window', place: 'checkers/window.mjs:3', rules: ['R1'] };

function strength(more: Partial<ProofStrength> = {}): ProofStrength {
  return {
    ...{ all: NONE, mutants: NONE, sabotage: NONE, fair: NONE, rules: {}, tools: {}, survivors: [], survived: 0 },
    ...{ findings: [], untried: 0, unmeasured: [], components: { 'checkers/window.mjs': 'a' } },
    verdicts: { late: verdicts({ expect: '-xx-', window: '--x-' }) },
    ...more,
  };
}

function verdicts(refusedBy: Record<string, string>, digest = 'd') {
  return { digest, plays: ['gold', 'remove-call 2 pay', 'repeat-effect 2 pay', 'drop-lookup 1 read'], refusedBy };
}

const linesOf = (now: ProofStrength, before: ProofStrength): string[] =>
  findRegressions(now, before).map(({ code, component, message }) => `${code} ${component}: ${message}`);

describe('regressions of a proof', () => {
  test('there are none where nothing changed', () => {
    expect(linesOf(strength(), strength())).toEqual([]);
  });

  test('a checker that refuses less of an unchanged sample is one', () => {
    const now = strength({ verdicts: { late: verdicts({ expect: '-xx-', window: '----' }) } });
    expect(linesOf(now, strength())).toEqual([
      'caught-before window: window accepts what it refused before: repeat-effect 2 pay in late',
    ]);
  });

  test('a judge that refuses what it accepted, and what is right, is one', () => {
    const now = strength({ verdicts: { late: verdicts({ expect: '-xx-', window: '--xx' }) } });
    expect(linesOf(now, strength())).toEqual([
      'refused-now window: window refuses what it accepted before, and what is right: drop-lookup 1 read in late',
    ]);
  });

  test('a sample that changed is not compared: its paths are others', () => {
    const now = strength({ verdicts: { late: verdicts({ expect: '----', window: '----' }, 'other') } });
    expect(linesOf(now, strength())).toEqual([]);
  });

  test('a mutant of an unchanged component that survives now is one; of a changed one it is not', () => {
    const survivors = [{ ...survivor, message: 'checkers/window.mjs:3: …' }];
    expect(linesOf(strength({ survivors }), strength())).toHaveLength(1);
    expect(linesOf(strength({ survivors }), strength({ survivors }))).toEqual([]);
    expect(linesOf(strength({ survivors, components: { 'checkers/window.mjs': 'b' } }), strength())).toEqual([]);
  });
});
