/** Which runs are at work at once under a cap: as many as fit, in their order, and one always. */
import { expect, test } from 'vitest';
import { openAffordableRuns } from '../../src/batch/affordable-runs.ts';

const live = new AbortController().signal;

test('two fit beside each other, the third enters when one rests for less than was expected', async () => {
  const room = openAffordableRuns(3.5);
  const entered: string[] = [];
  const enter = (run: string, spent = 0) =>
    room.enter(run, { spent, expected: 1.6 }, live).then(() => entered.push(run));
  const all = ['a', 'b', 'c'].map((run) => enter(run));
  await Promise.all(all.slice(0, 2));
  expect([entered, room.waits('c')]).toEqual([['a', 'b'], true]);
  room.leave('a', 1.8);
  expect(room.waits('c')).toBe(true);
  room.leave('b', 1.2);
  await all[2];
  expect([entered, room.waits('c')]).toEqual([['a', 'b', 'c'], false]);
});

test('one works however little is left; what rested runs cost counts; a run that comes back counts once', async () => {
  const room = openAffordableRuns(2);
  room.leave('ended', 1.9);
  await room.enter('a', { spent: 0, expected: 5 }, live);
  const b = room.enter('b', { spent: 0, expected: 0.05 }, live);
  expect(room.waits('b')).toBe(true);
  room.leave('a', 0);
  await b;
  await room.enter('a', { spent: 0, expected: 0.05 }, live);
  expect(room.waits('a')).toBe(false);
});

test('without a cap nobody waits; an abort ends the waiting', async () => {
  const free = openAffordableRuns(Number.POSITIVE_INFINITY);
  await Promise.all(['a', 'b', 'c'].map((run) => free.enter(run, { spent: 9, expected: 99 }, live)));
  const room = openAffordableRuns(1);
  const stop = new AbortController();
  await room.enter('a', { spent: 0, expected: 1 }, stop.signal);
  const waiting = room.enter('b', { spent: 0, expected: 1 }, stop.signal);
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
});

test('the money of a run that comes back, and of one at work, counts once', async () => {
  const room = openAffordableRuns(2);
  await room.enter('b', { spent: 0.8, expected: 0.5 }, live);
  room.leave('a', 0.9);
  // 0.8 at work and 1.1 in all for the one that comes back, of which 0.9 are spent.
  void room.enter('a', { spent: 0.9, expected: 1.1 }, live);
  expect(room.waits('a')).toBe(false);
});

test('what a waiting run has spent counts for those before it, and only who waits waits', async () => {
  const room = openAffordableRuns(3);
  for (const [run, expected] of [
    ['a', 1],
    ['z', 0.5],
  ] as const)
    await room.enter(run, { spent: 0, expected }, live);
  void room.enter('first', { spent: 0, expected: 2 }, live);
  void room.enter('second', { spent: 1, expected: 1 }, live);
  room.leave('a', 0.2);
  // 0.2 of a, 0.5 of z, 1 of the second and 2 of the first.
  expect(['a', 'z', 'first', 'second'].filter((run) => room.waits(run))).toEqual(['first', 'second']);
});

test('nobody enters once all is stopped', async () => {
  const room = openAffordableRuns(3);
  const stopped = AbortSignal.abort(new Error('stopped'));
  await expect(room.enter('a', { spent: 0, expected: 1 }, stopped)).rejects.toThrow('stopped');
  expect(room.waits('a')).toBe(false);
});
