/**
 * Ten thousand random conversations through every shipped policy: valid on the wire, under the target or a typed refusal.
 * Its small sibling in CI: test/slow/context-policies.test.ts.
 */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shouldCompact } from '../../src/context/index.ts';
import { isHarnessError } from '../../src/errors.ts';
import { compactBy, faultOf, mostAfter, POLICY_NAMES, smallCore } from '../support/policies.ts';
import { begunLog, moves, play } from '../support/transcripts.ts';

const RUNS = 10_000;

describe.each(POLICY_NAMES)('%s', (name) => {
  test(`${RUNS} conversations`, () => {
    const core = smallCore(name, {}, { model: { systemMessages: true } });
    let rewrites = 0;
    fc.assert(
      fc.property(moves, fc.boolean(), (list, byModel) => {
        const log = begunLog();
        for (const [place, move] of list.entries()) {
          play(log, move);
          if (place % 7 !== 6 && place !== list.length - 1) continue;
          const { plan, accepted } = compactBy(log, core, byModel ? ['the task stands [#e1]'] : undefined);
          if (plan.type === 'overflow') expect(isHarnessError(plan.error, 'context_overflow')).toBe(true);
          if (accepted?.ok === true) {
            rewrites += 1;
            expect(shouldCompact(log.entries, core).total).toBeLessThanOrEqual(mostAfter(log, core, plan));
          }
          expect(faultOf(log.entries)).toBeUndefined();
        }
      }),
      { numRuns: RUNS },
    );
    expect(rewrites).toBeGreaterThan(RUNS / 20);
  });
});
