/** When a gate is due for a reminder, and when it gives up. */
import { expect, test } from 'vitest';
import { findDueAction } from '../../../src/gate/rules/deadlines.ts';

const openedAt = '2026-11-20T10:00:00.000Z';
const at = (hours: number) => Date.parse(openedAt) + hours * 3_600_000;
const times = { remindAfterHours: [4, 24], expireAfterHours: 48 };

test.each([
  [3.99, 0, undefined],
  [4, 0, { kind: 'remind', reminders: 1 }],
  [5, 1, undefined],
  [25, 0, { kind: 'remind', reminders: 2 }],
  [25, 1, { kind: 'remind', reminders: 2 }],
  [47, 2, undefined],
  [48, 2, { kind: 'expire' }],
  [1000, 0, { kind: 'expire' }],
])('after %d hours and %i reminders', (hours, reminders, due) => {
  expect(findDueAction({ openedAt, reminders }, times, at(hours))).toEqual(due);
});

test('without times nothing is ever due', () => {
  expect(findDueAction({ openedAt, reminders: 0 }, { remindAfterHours: [] }, at(1e6))).toBeUndefined();
});
