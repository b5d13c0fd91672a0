/** What a CI job may rely on: the exit code of every state, every error, and many runs together. */
import { describe, expect, test } from 'vitest';
import { TimeSliceUsed } from '../../src/cli/ci/time-slice.ts';
import {
  EXIT,
  EXIT_MEANS,
  getExitCode,
  getErrorExitCode,
  isUsageError,
  worstExit,
} from '../../src/cli/command-context.ts';
import { HarnessError, type ErrorCode } from '../../src/errors.ts';
import type { RunState } from '../../src/run/state.ts';
import {
  after,
  APPROVED,
  cancelled,
  created,
  decided,
  DESIGNED,
  iterationDone,
  paused,
  started,
  type Happened,
} from '../support/run-events.ts';

const failedWith = (code: string): Happened => ({
  body: { type: 'step.failed', step: 'design.r1', code, message: 'no', final: true },
  actor: 'worker:a',
});
const expired: Happened = { body: { type: 'gate.expired', gate: 'HITL-1.r1' }, actor: 'worker:a' };

test.each<[string, number, RunState]>([
  ['met', 0, after(...APPROVED, iterationDone(1, 0.9))],
  ['not met', 1, after(created({ maxIterations: 1 }), ...APPROVED.slice(1), iterationDone(1, 0.8499))],
  ['met at exactly the target', 0, after(...APPROVED, iterationDone(1, 0.85))],
  ['rejected', 3, after(...DESIGNED, decided(1, 'reject'))],
  ['expired', 3, after(...DESIGNED, expired)],
  ['cancelled', 3, after(created(), cancelled())],
  ['waiting at a gate', 4, after(...DESIGNED)],
  ['paused by the budget', 5, after(created(), paused('budget'))],
  ['paused by a person', 6, after(created(), paused('user'))],
  ['paused by the provider', 6, after(created(), paused('provider'))],
  ['errored by what passes', 6, after(created(), started(), failedWith('infrastructure'))],
  ['errored by what a person must mend', 8, after(created(), started(), failedWith('data_corrupt'))],
  ['errored by a code that nobody knows', 8, after(created(), started(), failedWith('odd'))],
  ['at work', 6, after(created(), started())],
  ['executing', 6, after(...APPROVED)],
  ['just created', 6, after(created())],
])('a run that is %s ends with %i', (_name, code, state) => {
  expect(getExitCode(state)).toBe(code);
});

describe('of many runs', () => {
  test('the worst counts', () => {
    expect(worstExit([])).toBe(0);
    expect(worstExit([0, 0])).toBe(0);
    const worstFirst = [2, 8, 6, 3, 1, 5, 4, 7, 0];
    for (const [place, code] of worstFirst.entries())
      expect(worstExit(worstFirst.slice(place).toReversed())).toBe(code);
  });

  test('0 stands for all of them only', () => {
    for (const code of Object.values(EXIT)) expect(worstExit([0, code, 0]), String(code)).toBe(code);
    expect(worstExit([0, 143])).toBe(143);
  });
});

test.each<[ErrorCode, number]>([
  ['usage', 2],
  ['config_invalid', 2],
  ['not_found', 2],
  ['version_mismatch', 2],
  ['unsafe_policy', 2],
  ['sandbox_unavailable', 2],
  ['gate_refused', 2],
  ['budget_exceeded', 5],
  ['model_unavailable', 6],
  ['infrastructure', 6],
  ['attempt_lost', 6],
  ['journal_conflict', 6],
  ['data_corrupt', 8],
  ['model_refused', 8],
  ['agent_stopped', 8],
])('an error %s ends with %i', (code, exit) => {
  const error = new HarnessError(code, 'no');
  expect(getErrorExitCode(error)).toBe(exit);
  expect(isUsageError(error)).toBe(exit === EXIT.usage);
});

test('an account is mended elsewhere, a time slice is used up, and what nobody made is the machine’s', () => {
  expect(getErrorExitCode(new HarnessError('model_refused', 'no', { details: { means: 'account' } }))).toBe(6);
  expect(getErrorExitCode(new TimeSliceUsed())).toBe(7);
  expect(getErrorExitCode(new Error('no'))).toBe(6);
  expect(isUsageError(new Error('usage'))).toBe(false);
});

test('every code says what it means', () => {
  expect(Object.keys(EXIT_MEANS)).toEqual(Object.keys(EXIT));
});
