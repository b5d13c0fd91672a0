/** What a person types next where a run rests, or where others are at work on it. */
import { expect, test } from 'vitest';
import { nextSteps } from '../../../src/cli/run/next-steps.ts';
import { after, APPROVED, DESIGNED, paused } from '../../support/run-events.ts';

test('nobody is sent to carry on what workers carry on', () => {
  const alone = nextSteps('a', after(...APPROVED));
  expect(alone).toEqual(['go on    tandem resume a   unless a command is at work on it']);
  const carried = nextSteps('a', after(...APPROVED), true);
  expect(carried[0]).toBe('go on    workers carry it on: nothing is to be done');
  expect(carried.join('\n')).toContain('tandem queue why a');
});

test('what waits for a person does so wherever it is carried on', () => {
  for (const state of [after(...DESIGNED), after(...APPROVED, paused())])
    expect(nextSteps('a', state, true)).toEqual(nextSteps('a', state));
});
