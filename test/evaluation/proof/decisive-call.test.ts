/** The calls with which the evidence about a gold path begins. */
import { expect, test } from 'vitest';
import type { TrialCall } from '../../../src/evaluation/components/trial-record.ts';
import { describeAnswer, describeDecisiveCalls, isRefused } from '../../../src/evaluation/proof/gold-runs.ts';

const call = (step: number, more: Partial<TrialCall> = {}): TrialCall => ({
  ...{ step, tool: 'charge', input: { fee: 24 }, output: { ok: true }, is_error: false, change: [] },
  ...more,
});
const refused = call(1, { output: { ok: false, error: 'too late' } });
const wrote = call(2, { tool: 'note', change: [{ op: 'add', path: '/notes/0', value: { text: 'x' } }] });
const other = call(3, { tool: 'look' });

const describeCalls = (calls: TrialCall[], path: string) =>
  describeDecisiveCalls({ before: {}, after: {}, calls, says: [], stop: 'done' }, [{ path }], new Map());

test('a refusal is what tools answer as one, or what a server marks as one; a call that broke is none', () => {
  expect([refused, call(1, { is_error: true }), other].map(isRefused)).toEqual([true, true, false]);
  expect(isRefused(call(1, { is_error: true, error: 'threw' }))).toBe(false);
});

test('refused calls come first, then the one that wrote where the end is wrong, with file and answer', () => {
  expect(describeCalls([wrote, refused, other], '/notes/0/text')).toBe(
    'tools/charge.mjs: step 1: charge {"fee":24} answered {"ok":false,"error":"too late"}; ' +
      'tools/note.mjs: step 2: note {"fee":24} answered {"ok":true}; ',
  );
  expect(describeCalls([wrote, other], '/fees')).toBe('');
});

test('a long answer is shortened', () => {
  expect(describeAnswer(call(1, { output: 'x'.repeat(500) }))).toMatch(/^step 1: .{20,230}…$/);
});
