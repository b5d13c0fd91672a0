import { describe, expect, test } from 'vitest';
import { doubtByTable, keepProvenDoubts } from '../../../src/evaluation/judge/doubt-by-table.ts';
import type { TableVerdict } from '../../../src/scenario/cases/judge-by-table.ts';
import type { Verdict } from '../../../src/scenario/result.ts';

const table = (says: TableVerdict['says'], rule = 'R2'): TableVerdict => ({
  rule,
  outcome: 'fee',
  says,
  text: `${rule} demands fee: 800; read: 1000`,
});
const refusal = (checker: string, more: Partial<Verdict> = {}): Verdict => ({
  ...{ checker, pass: false, reason: 'the fee is wrong', evidence: [] },
  ...more,
});
const RULES = new Map([['late-fee', ['R2']]]);
const failed = (verdicts: Verdict[], says: TableVerdict[]) =>
  doubtByTable({ outcome: 'fail', verdicts, table: says, rulesOf: RULES });

test('a pass is doubted where a demand is not met, and never turned into a failure', () => {
  const passed = { outcome: 'pass' as const, verdicts: [], rulesOf: RULES };
  expect(doubtByTable({ ...passed, table: [table('not met'), table('met', 'R3')] })).toEqual([
    {
      by: 'table',
      rule: 'R2',
      text: 'all checks passed, and the approved table says: R2 demands fee: 800; read: 1000',
    },
  ]);
  expect(doubtByTable({ ...passed, table: [table('met'), table('nothing')] })).toEqual([]);
});

describe('a failure is doubted', () => {
  test('where every refusing checker judges only rules that are met', () => {
    expect(failed([refusal('late-fee')], [table('met')])).toMatchObject([{ by: 'table', rule: 'R2' }]);
  });

  test('not where another part of the rule is unread, a demand is broken, or something else refused', () => {
    expect(failed([refusal('late-fee')], [table('met'), table('nothing')])).toEqual([]);
    expect(failed([refusal('late-fee')], [table('met'), table('not met', 'R3')])).toEqual([]);
    expect(failed([refusal('late-fee'), refusal('expect')], [table('met')])).toEqual([]);
    expect(failed([refusal('late-fee', { broken: true })], [table('met')])).toEqual([]);
    expect(failed([refusal('late-fee')], [])).toEqual([]);
  });
});

test('doubts count once the reading has told right from wrong, those of a failure for whole rules without words', () => {
  const dispute = { by: 'table' as const, rule: 'R2', text: 'doubt' };
  const judges = (by: ('table' | 'checker')[], reads: 'whole' | 'part') => ({ judges: { R2: { by, reads } } });
  expect(keepProvenDoubts('pass', [dispute], judges(['table'], 'part'))).toEqual([dispute]);
  expect(keepProvenDoubts('pass', [dispute], judges(['checker'], 'whole'))).toEqual([]);
  expect(keepProvenDoubts('pass', [dispute], {})).toEqual([]);
  expect(keepProvenDoubts('fail', [dispute], judges(['table'], 'part'))).toEqual([]);
  expect(keepProvenDoubts('fail', [dispute], judges(['table'], 'whole'))).toEqual([dispute]);
  const words = [{ rule: 'R2', proven: true, why: 'heard' }];
  expect(keepProvenDoubts('fail', [dispute], { ...judges(['table'], 'whole'), words })).toEqual([]);
  const others = [{ by: 'table' as const, text: 'a frame' }, { by: 'statement' as const, text: 'untrue' }];
  expect(keepProvenDoubts('pass', others, {})).toEqual(others);
});
