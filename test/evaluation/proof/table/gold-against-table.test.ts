import { describe, expect, test } from 'vitest';
import { findDisagreements } from '../../../../src/evaluation/proof/table/hold-table.ts';
import { listUnmet, type GoldReading } from '../../../../src/evaluation/proof/table/missed-demands.ts';
import type { TableVerdict } from '../../../../src/scenario/cases/judge-by-table.ts';
import { listCodes, proveHire } from '../tool-hire.ts';

const UNMET: TableVerdict = { rule: 'R2', outcome: 'fee', says: 'not met', text: 'R2 demands fee: 800; read: 1000' };

/** A gold path that ends as its sample expects; `refusing` are the checkers that reject it. */
function reading(id: string, gold: TableVerdict[], refusing: string[] = []): GoldReading {
  const verdicts = refusing.map((checker) => ({ checker, pass: false, reason: 'no', evidence: [] }));
  const proof = {
    loaded: { sample: { id, checkers: ['late-fee'] } },
    gold: { differences: [] },
    ends: [{ name: 'gold path', verdicts }],
  };
  return { proof: proof as never, gold, secondsExpectation: false };
}

const RULES = new Map([['late-fee', ['R2']]]);
const MET = { ...UNMET, says: 'met' as const };

describe('the side that stands alone is wrong', () => {
  test('gold and expectation, where a checker says what the table says: the sample, and not the checker', () => {
    const { problems, seconded } = findDisagreements([reading('one', [UNMET], ['late-fee'])], RULES);
    expect(problems).toMatchObject([{ layer: 4, code: 'table-against-sample', component: 'one', sample: 'one' }]);
    expect(problems[0]?.message).toContain('R2 demands fee: 800; read: 1000; checker late-fee says so too');
    expect(seconded.get('one')).toEqual(new Set(['late-fee']));
  });

  test('one sample, where others agree with the table', () => {
    const { problems } = findDisagreements([reading('one', [UNMET]), reading('two', [MET])], RULES);
    expect(problems).toMatchObject([{ layer: 4, code: 'table-against-sample', component: 'one' }]);
    expect(problems[0]?.message).toContain('1 other sample agrees with the table');
  });

  test('the table, where gold, expectation and checkers all say otherwise', () => {
    const { problems } = findDisagreements([reading('one', [UNMET])], RULES);
    expect(problems).toMatchObject([{ layer: 1, code: 'table-against-all', component: 'R2', sample: 'one' }]);
    expect(problems[0]?.message).toContain('gold, expect and late-fee say otherwise');
  });

  test('nobody, where all agree', () => {
    expect(findDisagreements([reading('one', [MET])], RULES).problems).toEqual([]);
    expect(listUnmet([MET, UNMET])).toEqual([UNMET]);
  });
});

test('a sample that names the wrong case is found by its real components', async () => {
  const verification = await proveHire({
    'samples/keeps-it-for-now.json': ['"agrees": false', '"agrees": true'],
  });
  expect(listCodes(verification)[0]).toBe('table-against-sample keeps-it-for-now');
});
