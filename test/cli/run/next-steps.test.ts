/** What a person types next where a run rests, or where others are at work on it. */
import { expect, test } from 'vitest';
import { nextAfterDecision, nextSteps } from '../../../src/cli/run/next-steps.ts';
import { after, APPROVED, created, decided, designDone, DESIGNED, paused, started } from '../../support/run-events.ts';

test('nobody is sent to carry on what workers carry on', () => {
  const alone = nextSteps('a', after(...APPROVED));
  expect(alone).toEqual(['go on    tandem resume a   unless a command is at work on it']);
  const carried = nextSteps('a', after(...APPROVED), true);
  expect(carried[0]).toBe('go on    workers carry it on: nothing is to be done');
  expect(carried.join('\n')).toContain('tandem queue why a');
});

test('what waits for a person does so wherever it is carried on', () => {
  const stopped = after(...APPROVED, paused());
  expect(nextSteps('a', stopped, true)).toEqual(nextSteps('a', stopped));
  const [alone, carried] = [nextSteps('a', after(...DESIGNED)), nextSteps('a', after(...DESIGNED), true)];
  expect(carried.slice(0, -1)).toEqual(alone.slice(0, -1));
  expect(alone.at(-1)).toBe('go on    tandem resume a');
  expect(carried.at(-1)).toBe('go on    workers carry it on after the decision; to watch: tandem resume a');
});

test('a decision says what it leads to', () => {
  expect(nextAfterDecision('a', after(...APPROVED), false)).toBe('Go on: tandem resume a');
  expect(nextAfterDecision('a', after(...APPROVED), true)).toBe('Workers carry the run on.');
  expect(nextAfterDecision('a', after(...DESIGNED, decided(1, 'reject')), false)).toBe('The run has ended.');
  const two = after(created(), started(), designDone(1, { need: 2 }), decided(1, 'approve'));
  expect(nextAfterDecision('a', two, true)).toBe('Has 1 of 2 approvals (user:ada); needs 1 more, of another person.');
});
