import { describe, expect, test } from 'vitest';
import { findMomentAt, findNamedMoment, type FailedTrial } from '../../../src/scenario/attribution/deciding-moment.ts';
import type { TraceLine } from '../../../src/scenario/trace.ts';

type Call = Extract<TraceLine, { type: 'call' }>;

const call = (step: number, tool: string, more: Partial<Call> = {}): Call => ({
  type: 'call',
  step,
  tool,
  input: { id: 1 },
  output: { ok: true },
  is_error: false,
  change: [],
  ...more,
});
const change = (path: string): Partial<Call> => ({ change: [{ op: 'replace', path, value: 1 }] });

const lines: TraceLine[] = [
  { type: 'user', step: 0, text: 'Hello' },
  call(1, 'find'),
  call(2, 'refund', change('/orders/W1/status')),
  call(2, 'log', change('/log')),
  { type: 'says', step: 3, text: 'All done.' },
  { type: 'user', step: 3, text: 'Thanks' },
];
const failed = (more: Partial<FailedTrial> = {}) => {
  const trial = { lines, verdicts: [], stateDiff: [], mustNotCall: [], ...more };
  return findNamedMoment(trial) ?? findMomentAt(trial.lines);
};
const verdict = (evidence: string[], pass = false) => ({ checker: 'c', pass, reason: 'no', evidence });

describe('the moment that decided', () => {
  test('is what was said at the step that evidence names, where it names no tool', () => {
    const spoken: TraceLine[] = [
      { type: 'user', step: 0, text: 'Hello' },
      { type: 'says', step: 1, text: 'It is done already.' },
      call(1, 'find'),
      call(2, 'log'),
      { type: 'says', step: 3, text: 'Goodbye.' },
    ];
    const moment = (evidence: string) => failed({ lines: spoken, verdicts: [verdict([evidence])] });
    expect(moment('step 1: claimed before anything was done')).toMatchObject({ step: 1, line: 2 });
    expect(moment('step 1: find was called too early')).toMatchObject({ step: 1, line: 3 });
    expect(moment('step 2: too early')).toMatchObject({ step: 2, line: 4 });
  });

  test('is the call of the tool fault, by its step and its tool', () => {
    const toolFault = 'step 2: log {"id":1} (threw): The tool failed: Error: full';
    expect(failed({ toolFault, mustNotCall: ['find'] })).toEqual({
      step: 2,
      line: 4,
      quote: 'log {"id":1} -> {"ok":true}',
    });
  });

  test('is the first forbidden call before anything that was written', () => {
    expect(failed({ mustNotCall: ['find', 'log'], stateDiff: [{ path: '/log' }] })).toMatchObject({ step: 1, line: 2 });
  });

  test.each(['/orders/W1/status', '/orders/W1', '/orders/W1/status/deep'])(
    'is the last call that wrote at %s, above it or below it',
    (path) => {
      expect(failed({ stateDiff: [{ path, expected: 1, got: 2 }] })).toMatchObject({ step: 2, line: 3 });
    },
  );

  test('is the step that a refusing checker names; a passing one decides nothing', () => {
    expect(failed({ verdicts: [verdict(['step 2'], true), verdict(['see step 1: find'])] })).toMatchObject({ line: 2 });
    expect(failed({ verdicts: [verdict(['step 2: log {}'])] })).toMatchObject({ line: 4 });
    expect(failed({ verdicts: [verdict(['step 9: nothing'])] })).toMatchObject({ line: 5 });
  });

  test('is found by its call, not by its step: several calls share one, and checkers count in their own way', () => {
    const twice = [
      call(2, 'refund', { input: { amount: 10 } }),
      call(2, 'refund', { input: { amount: 90 } }),
      call(3, 'log', { input: { outcome: '(' } }),
      call(4, '(odd', { input: {} }),
    ];
    const at = (text: string) => failed({ lines: twice, verdicts: [verdict([text])] })?.line;
    expect(at('step 2: refund {"amount":90}')).toBe(2);
    expect(at('refund {"amount":10} is too little')).toBe(1);
    expect(at('step 2: log, after everything else')).toBe(3);
    expect(failed({ lines: twice, verdicts: [], toolFault: 'step 2: refund {"amount":90} (threw): x' })?.line).toBe(2);
  });

  test('is else what the subject said last, or its last call; a path that merely begins alike is another', () => {
    expect(failed({ stateDiff: [{ path: '/orders/W1/status-old' }] })).toEqual({
      step: 3,
      line: 5,
      quote: 'All done.',
    });
    expect(failed({ lines: lines.slice(0, 3) })).toMatchObject({ line: 3 });
    expect(failed({ lines: lines.slice(0, 1) })).toBeUndefined();
  });

  test('names the user where the user acted, and keeps a long quote short', () => {
    const acted = [call(1, 'press', { by: 'user', output: 'x'.repeat(1000) })];
    const found = failed({ lines: acted });
    expect(found?.quote).toMatch(/^the user: press /);
    expect(found?.quote.length).toBeLessThan(420);
  });
});
