import { expect, test } from 'vitest';
import { playUntilScored, type Patience } from '../../src/evaluation/evaluate.ts';
import type { DoneTrial } from '../../src/evaluation/trial/run-trial.ts';

const { signal } = new AbortController();

function done(name: string, outcome: 'pass' | 'fail' | 'unscored'): DoneTrial {
  const result = { trial: 1, outcome, verdicts: [], stop: 'done' as const, trace: name, costUsd: 0, durationMs: 0 };
  return { result, tools: [], ...(outcome === 'unscored' ? { detail: `${name} was away` } : {}) };
}

/** Each trial is unscored so many times, and passes then. */
function setUp(outages: Record<string, number>, tries = 2) {
  const left = { ...outages };
  const rounds: string[][] = [];
  const waited: number[] = [];
  const patience: Patience = { tries, minDelayMs: 1, maxDelayMs: 2, onWait: ({ delayMs }) => waited.push(delayMs) };
  const play = async (trials: readonly string[]): Promise<DoneTrial[]> => {
    rounds.push([...trials]);
    return trials.map((name) => done(name, (left[name] = (left[name] ?? 0) - 1) >= 0 ? 'unscored' : 'pass'));
  };
  const names = Object.keys(outages);
  return { rounds, waited, run: () => playUntilScored(names, { play, patience, signal }), play, names };
}

test('only what is unscored is played again, and every result is in its place', async () => {
  const { rounds, run } = setUp({ a: 0, b: 1, c: 2, d: 0 });
  const results = await run();
  expect(rounds).toEqual([['a', 'b', 'c', 'd'], ['b', 'c'], ['c']]);
  expect(results.map(({ result }) => `${result.trace} ${result.outcome}`)).toEqual(
    ['a', 'b', 'c', 'd'].map((name) => `${name} pass`),
  );
});

test('rounds that score nothing more are few, and their pauses grow; then the run waits with the reason', async () => {
  const { rounds, waited, run } = setUp({ a: 99, b: 0 }, 4);
  await expect(run()).rejects.toMatchObject({
    code: 'model_unavailable',
    retryable: false,
    message: '1 of 2 trials could not be scored, so the iteration is not judged: a was away',
  });
  expect(rounds).toHaveLength(4);
  expect(waited).toEqual([1, 2, 2]);
});

test('without patience they stay unscored', async () => {
  const { play, names } = setUp({ a: 1 });
  const [only] = await playUntilScored(names, { play, patience: undefined, signal });
  expect(only?.result.outcome).toBe('unscored');
});
