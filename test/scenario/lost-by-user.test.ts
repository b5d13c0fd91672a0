import { expect, test } from 'vitest';
import { isLostByUser } from '../../src/scenario/lost-by-user.ts';

test('only a trial without a verdict whose user had no move is lost by its user', () => {
  expect(isLostByUser({ outcome: 'unscored', stop: 'no_move' })).toBe(true);
  expect(isLostByUser({ outcome: 'unscored', stop: 'infrastructure' })).toBe(false);
  // The end was right all the same.
  expect(isLostByUser({ outcome: 'pass', stop: 'no_move' })).toBe(false);
});
