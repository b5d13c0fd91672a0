/** Each state of a run has one sentence, and one button or command. */
import { expect, test } from 'vitest';
import { describeNextStep } from '../../../src/report/run/next-step.ts';
import type { RunState } from '../../../src/run/state.ts';
import { after, APPROVED, created, decided, DESIGNED, failed, paused, started } from '../../support/run-events.ts';

const STATES: Record<string, RunState> = {
  created: after(created()),
  designing: after(created(), started()),
  waiting: after(...DESIGNED),
  executing: after(...APPROVED),
  paused: after(...APPROVED, paused()),
  outOfMoney: after(...APPROVED, paused('budget')),
  errored: after(...APPROVED, failed(true)),
  rejected: after(...DESIGNED, decided(1, 'reject')),
};
const CARRIERS = ['workers', 'no_worker', 'process', 'nothing'] as const;

test.each(Object.entries(STATES))('%s: one sentence and one command, whoever carries it', (_name, state) => {
  for (const carrier of CARRIERS)
    for (const canStart of [true, false]) {
      const { text, command } = describeNextStep({ run: 'a', state, carrier, canStart });
      expect(text).toMatch(/^[A-Z].*[:.]$/);
      expect(command).toMatch(/^tandem [a-z]+( |$)/);
    }
});

test('a button is there exactly where pressing it does something', () => {
  const buttons = (carrier: (typeof CARRIERS)[number], canStart: boolean) =>
    Object.entries(STATES)
      .filter(([, state]) => describeNextStep({ run: 'a', state, carrier, canStart }).button === 'retry')
      .map(([name]) => name);
  expect(buttons('nothing', false)).toEqual([]);
  expect(buttons('nothing', true)).toEqual(['created', 'designing', 'executing', 'paused', 'errored']);
  expect(buttons('workers', false)).toEqual(['paused', 'errored']);
  expect(buttons('process', true)).toEqual(['paused', 'errored']);
});

test('nothing running is a state of its own, and so is a queue without workers', () => {
  const at = (carrier: (typeof CARRIERS)[number]) =>
    describeNextStep({ run: 'a', state: after(...APPROVED), carrier }).text;
  expect(new Set(CARRIERS.map(at)).size).toBe(4);
  expect(at('nothing')).toContain('Nothing is running it');
  expect(describeNextStep({ run: 'a', state: after(...APPROVED), carrier: 'nothing' }).isIdle).toBe(true);
});
