import { expect, test } from 'vitest';
import { simulateRolling } from '../../../bench/statistics/rolling.ts';
import { addToRolling, compareWithRolling, type Rolling } from '../../../src/scenario/statistics/rolling-baseline.ts';
import { sampleOf } from '../results-of.ts';

const digests = { designDigest: 'd', componentsDigest: 'c' };
const entry = (run: string, samples: Rolling['history'][number]['samples']) => ({ run, at: `2026-01-${run}`, samples });

test('over many merges of 40 samples a job is hardly ever red without cause, and a drop of ten points is found in three', () => {
  const { falseRed, drops, found } = simulateRolling({ merges: 300, drops: 40, trials: 1, seed: 7 });
  expect(falseRed).toBeLessThanOrEqual(3);
  expect(found / drops).toBeGreaterThanOrEqual(0.8);
});

test('an unreliable sample is set aside by name, with owner and date, decides nothing, and comes back when it is reliable', () => {
  let rolling: Rolling | undefined;
  const add = (run: number, coin: number): void => {
    const samples = { sure: { passed: 2, total: 2 }, coin: { passed: coin, total: 2 } };
    rolling = addToRolling(rolling, entry(String(10 + run), samples), {
      most: 8,
      owner: run < 8 ? 'user:ada' : 'user:bob',
    });
  };
  for (let run = 0; run < 8; run += 1) add(run, run % 2);
  expect(rolling?.history).toHaveLength(8);
  expect(rolling?.quarantine).toEqual({ coin: { owner: 'user:ada', since: '2026-01-13', why: '4 of 16 trials pass' } });
  const compare = (samples: ReturnType<typeof sampleOf>[]) =>
    compareWithRolling({ ...digests, samples: {}, ...(rolling && { rolling }) }, { ...digests, samples });
  const coin = compare([sampleOf('sure', 'pp'), sampleOf('coin', 'ff')]);
  expect([coin.label, coin.samples.find(({ id }) => id === 'coin')?.label]).toEqual(['same', 'quarantined']);
  const dead = compare([sampleOf('sure', 'ffff'), sampleOf('coin', 'ff')]);
  expect([dead.label, dead.samples.find(({ id }) => id === 'sure')?.label]).toEqual(['regression', 'regression']);
  expect(compare([sampleOf('sure', 'pu')]).label).toBe('incomplete');
  for (let run = 8; run < 16; run += 1) add(run, 2);
  expect(rolling?.quarantine).toEqual({});
});

test('two samples are red at once when nothing passes any more, and one when that is so for three results', () => {
  const passing = (names: string[], runs: number, passed = 1) => {
    const samples = Object.fromEntries(names.map((name) => [name, { passed, total: 1 }]));
    return Array.from({ length: runs }, (_, run) => entry(String(10 + run), samples));
  };
  const judge = (history: Rolling['history'], names: string[], outcome = 'f') =>
    compareWithRolling(
      { ...digests, samples: {}, rolling: { history, quarantine: {} } },
      { ...digests, samples: names.map((name) => sampleOf(name, outcome)) },
    ).label;
  expect(judge(passing(['a', 'b'], 10), ['a', 'b'])).toBe('regression');
  expect(judge(passing(['a'], 10), ['a'])).not.toBe('regression');
  const failed = passing(['a'], 2, 0);
  expect(judge([...passing(['a'], 10), ...failed], ['a'])).toBe('regression');
  expect(judge([...passing(['a'], 10), ...failed], ['a'], 'p')).not.toBe('regression');
});

test('a few results are no evidence yet, so nothing is red', () => {
  const rolling = addToRolling(undefined, entry('01', { a: { passed: 4, total: 4 } }), { most: 20, owner: 'user:ada' });
  const { label } = compareWithRolling(
    { ...digests, samples: {}, rolling },
    { ...digests, samples: [sampleOf('a', 'ffff')] },
  );
  expect(label).not.toBe('regression');
});
