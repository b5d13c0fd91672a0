/** What a person types next where a run rests, or where others are at work on it. */
import { expect, test } from 'vitest';
import { nextAfterDecision, nextSteps } from '../../../src/cli/run/finish.ts';
import { after, APPROVED, created, decided, designDone, DESIGNED, paused, started } from '../../support/run-events.ts';

test('nobody is sent to carry on what others carry on', () => {
  expect(nextSteps('a', after(...APPROVED))).toEqual(['go on    tandem resume a']);
  const at = (carrier: 'workers' | 'process' | 'no_worker') =>
    nextSteps('a', after(...APPROVED), { carrier }).join('\n');
  expect(at('workers')).toMatch(/^go on {4}Workers go on with it: nothing is to be done\..*tandem queue why a$/);
  expect(at('process')).toContain('It is being worked on');
  expect(at('no_worker')).toMatch(/none is running\. Start one: tandem worker$/);
});

test('what waits for a person does so wherever it is carried on', () => {
  const stopped = after(...APPROVED, paused());
  expect(nextSteps('a', stopped, { carrier: 'workers' })).toEqual(nextSteps('a', stopped));
  const [alone, carried] = [
    nextSteps('a', after(...DESIGNED)),
    nextSteps('a', after(...DESIGNED), { carrier: 'workers' }),
  ];
  expect(carried.slice(0, -1)).toEqual(alone.slice(0, -1));
  expect(alone.at(-1)).toBe('go on    tandem resume a');
  expect(carried.at(-1)).toBe('go on    workers carry it on after the decision; to watch: tandem resume a');
});

test('a decision says what it leads to', () => {
  const approved = after(...APPROVED);
  expect(nextAfterDecision('a', approved, 'nothing')).toBe('Nothing is running it. Start it: tandem resume a');
  expect(nextAfterDecision('a', approved, 'workers')).toContain('Workers go on with it');
  expect(nextAfterDecision('a', after(...DESIGNED, decided(1, 'reject')), 'nothing')).toContain('The run has ended.');
  const two = after(created(), started(), designDone(1, { need: 2 }), decided(1, 'approve'));
  expect(nextAfterDecision('a', two, 'workers')).toContain('Has 1 of 2 approvals (user:ada); needs 1 more');
});
