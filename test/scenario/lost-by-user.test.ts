import { expect, test } from 'vitest';
import { isLostByUser, nameLosses } from '../../src/scenario/lost-by-user.ts';

test('only a trial without a verdict whose user had no move is lost by its user', () => {
  expect(isLostByUser({ outcome: 'unscored', stop: 'no_move' })).toBe(true);
  expect(isLostByUser({ outcome: 'unscored', stop: 'infrastructure' })).toBe(false);
  // The end was right all the same.
  expect(isLostByUser({ outcome: 'pass', stop: 'no_move' })).toBe(false);
});

test('each cause of a missing verdict is named once, and never two for one trial', () => {
  const trials = ['no_move', 'infrastructure', 'infrastructure', 'done'].map((stop) => ({
    ...{ trial: 1, outcome: 'unscored' as const, verdicts: [], stop, trace: '', costUsd: 0, durationMs: 0 },
  }));
  expect(nameLosses({ trials })).toBe(
    'its user had no move, and for another trial the infrastructure failed, and for another trial a limit was passed',
  );
  expect(nameLosses({ trials: [] })).toBe('no trial was made');
});
