import { expect, test } from 'vitest';
import { withClaims } from '../../../src/scenario/attribution/named-causes.ts';
import { Results } from '../../../src/scenario/result.ts';

const sample = (id: string, outcome: 'pass' | 'fail', layer?: 2 | 4) => ({
  ...{
    id,
    title: id,
    category: 'c',
    covers: ['R1'],
    outcome,
    trials: [],
    why: layer === undefined ? [] : [`evidence ${layer}`],
  },
  ...(layer === undefined ? {} : { layer }),
});
const results = Results.parse({
  ...{
    version: 1,
    iteration: 2,
    round: 1,
    designDigest: 'd',
    componentsDigest: 'c',
    target: 0.85,
    successRate: 0.25,
    passed: 1,
    total: 4,
    unscored: 0,
  },
  ...{
    interval: [0, 1],
    passAll: 0.25,
    layers: { '1': 0, '2': 1, '3': 0, '4': 2 },
    byCategory: {},
    byRule: {},
    sandbox: 's',
    simulated: true,
    costUsd: 0,
  },
  samples: [sample('a', 'pass'), sample('b', 'fail', 4), sample('c', 'fail', 2), sample('d', 'fail', 4)],
  verification: { ok: true, problems: [], proofs: [], coverage: {} },
});
const problem = { title: 'R1 against R2', rules: ['R1', 'R2'], samples: ['a', 'b'], claim: 'both cannot hold' };

test('a failure that Execute sends back counts as layer 1, and the evidence stays readable (S0.24)', () => {
  const claimed = withClaims(results, [problem]);
  expect(claimed.layers).toEqual({ '1': 1, '2': 1, '3': 0, '4': 1 });
  expect(claimed.samples[1]).toMatchObject({
    layer: 1,
    why: [expect.stringMatching(/R1 against R2 .*layer 4/), 'evidence 4'],
  });
});

test('a sample that passed is never claimed, and the rate does not move', () => {
  const claimed = withClaims(results, [problem]);
  expect(claimed.samples[0]).toEqual(results.samples[0]);
  expect(claimed.successRate).toBe(results.successRate);
});
