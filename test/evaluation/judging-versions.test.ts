import { expect, test } from 'vitest';
import { JUDGING_VERSIONS, listJudgingChanges } from '../../src/evaluation/judging-versions.ts';
import { after, created, paused, resumed, started } from '../support/run-events.ts';

test('a run says what is judged otherwise than when it began, and nothing once it has taken that over', () => {
  const begun = { user: 'auto' as const, judging: JUDGING_VERSIONS };
  expect(listJudgingChanges(begun)).toEqual([]);
  expect(listJudgingChanges({ user: 'auto' }), 'of a run from before nothing is known').toEqual([]);
  expect(listJudgingChanges({})).toEqual([expect.stringContaining('its users are scripted')]);
  const earlier = { ...begun, judging: { ...JUDGING_VERSIONS, statements: 'statements-0' } };
  expect(listJudgingChanges(earlier)).toEqual([expect.stringMatching(/began with statements-0.*statements-4/)]);
});

test('a run keeps what it began with until it takes over another', () => {
  const old = [created({}, { rules: 2 }), started(), paused('user')];
  const { origin } = after(...old, resumed());
  expect([origin.rules, origin.user, origin.judging]).toEqual([2, undefined, undefined]);
  const body = { type: 'run.resumed', user: 'auto', judging: JUDGING_VERSIONS } as const;
  const taken = after(...old, { ...resumed(), body }).origin;
  expect([taken.rules, taken.user, listJudgingChanges(taken)]).toEqual([2, 'auto', []]);
});
