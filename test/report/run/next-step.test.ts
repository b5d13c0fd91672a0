/** Each state of a run has one sentence, and one button or command. */
import { expect, test } from 'vitest';
import { nextSteps } from '../../../src/cli/run/finish.ts';
import { getMarkup } from '../../../src/report/html/html.ts';
import { describeNextStep } from '../../../src/report/run/next-step.ts';
import { nextStepSection } from '../../../src/web/pages/next-step-section.ts';
import type { RunState } from '../../../src/run/state.ts';
import {
  after,
  APPROVED,
  cancelled,
  created,
  decided,
  DESIGNED,
  failed,
  iterationDone,
  paused,
  started,
} from '../../support/run-events.ts';

const STATES: Record<string, RunState> = {
  created: after(created()),
  designing: after(created(), started()),
  waiting: after(...DESIGNED),
  executing: after(...APPROVED),
  paused: after(...APPROVED, paused()),
  outOfMoney: after(...APPROVED, paused('budget')),
  errored: after(...APPROVED, failed(true)),
  rejected: after(...DESIGNED, decided(1, 'reject')),
  cancelled: after(created(), cancelled()),
  met: after(...APPROVED, iterationDone(1, 1)),
  capped: after(created({ maxIterations: 1 }), ...APPROVED.slice(1), iterationDone(1, 0.2)),
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

test.each(Object.entries(STATES))('%s: page and terminal tell the same step, once', (_name, state) => {
  for (const carrier of CARRIERS) {
    const step = describeNextStep({ run: 'a', state, carrier });
    const lines = nextSteps('a', state, { carrier }).filter((line) => line.endsWith(step.command));
    expect(lines).toHaveLength(1);
    const page = getMarkup(nextStepSection({ key: 'a', step, gate: 'HITL-1.r1', formToken: 'token' }));
    expect(page.split('<strong>')).toHaveLength(2);
    expect(page).toContain(step.text);
    expect(page.match(/<a |<button |<code>/g)).toHaveLength(1);
  }
});

test.each([
  ['met', 'Read what passed and what failed:', 'tandem report a'],
  ['not met', 'Read what failed, and why:', 'tandem report a'],
  ['incomplete', 'Read what has no verdict, and why:', 'tandem report a'],
  ['disputed', 'Settle the verdicts in doubt:', 'tandem label a'],
] as const)('a run that has ended %s has a step of its own', (verdict, text, command) => {
  const state = STATES['capped'] ?? after(created());
  expect(describeNextStep({ run: 'a', state, carrier: 'nothing', verdict })).toEqual({
    ...{ text: `The run has ended. ${text}`, command },
    button: 'results',
  });
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
