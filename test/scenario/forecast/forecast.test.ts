/** A forecast: it grows with what is played, narrows with what is known, and at a gate counts only what is to come. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Brief } from '../../../src/scenario/brief.ts';
import { computeForecast, type ForecastInput } from '../../../src/scenario/forecast/forecast.ts';
import { typicalUses } from '../../../src/scenario/forecast/typical-use.ts';
import type { RunUse } from '../../../src/scenario/forecast/run-use.ts';

const OPUS = { input: 4, output: 20, cacheWrite: 5, cacheRead: 0.2 };
const SONNET = { input: 2, output: 10, cacheWrite: 2.5, cacheRead: 0.1 };
const HAIKU = { input: 0.1, output: 0.5, cacheWrite: 0.125, cacheRead: 0.01 };
const AGENTS = { init: OPUS, execute: SONNET };

function brief(samples: number, more: object = {}): Brief {
  return Brief.parse({
    ...{ version: 1, name: 'desk', title: 'Desk', reads: ['brief.md'], subject: { model: 'm' } },
    samples: { min: samples, categories: ['a'] },
    ...more,
  });
}

function input(samples: number, more: Partial<ForecastInput> = {}, briefMore: object = {}): ForecastInput {
  return {
    ...{ brief: brief(samples, briefMore), sources: 20_000, simulated: false, history: { same: [], other: [] } },
    ...{ prices: { ...AGENTS, subject: HAIKU }, priceOf: () => HAIKU },
    ...more,
  };
}

const middle = (samples: number): RunUse => {
  const use = typicalUses(brief(samples), 20_000, false)[4];
  if (use === undefined) throw new Error('no typical case');
  return use;
};

test('4 samples on Haiku and 2,000 on Opus are far apart, and trials count as samples do', () => {
  const small = computeForecast(input(4));
  const large = computeForecast(input(2000, { prices: { ...AGENTS, subject: OPUS } }));
  expect(large.p50 / small.p50).toBeGreaterThan(100);
  const [once, thrice] = [input(50), input(50, {}, { trials: 3 })].map(computeForecast);
  expect(thrice?.parts['subject']).toBeCloseTo(3 * (once?.parts['subject'] ?? 0), 6);
  expect([once?.trials, thrice?.trials]).toEqual([50, 150]);
});

test('a user that a model plays costs, one that a script plays does not', () => {
  const prices = { ...AGENTS, subject: HAIKU, user: OPUS };
  expect(
    computeForecast(input(20, { prices }, { user: { simulator: 'model', model: 'u' } })).parts['user'],
  ).toBeGreaterThan(0);
  const scripted = { user: { simulator: 'scripted' }, statements: 'off' };
  expect(computeForecast(input(20, { prices }, scripted)).parts['user']).toBeUndefined();
  // Rules choose its moves offline, and a small model where models are paid.
  expect(computeForecast(input(20, { prices, simulated: true }, {})).parts['user']).toBeUndefined();
  expect(computeForecast(input(20, { prices })).parts['user']).toBeGreaterThan(0);
});

test('graders of earlier runs of the scenario are counted at the price of their own model', () => {
  const grader = { who: 'grader', model: 'judge', tokens: { input: 1000, cacheWrite: 0, cacheRead: 0, output: 0 } };
  const use = { ...middle(20), perTrial: [...middle(20).perTrial, grader] };
  const priceOf = (model: string) => (model === 'judge' ? OPUS : undefined);
  const same = Array.from({ length: 9 }, () => use);
  const made = computeForecast(input(20, { history: { same, other: [] }, priceOf }));
  // 3 iterations of 20 trials, 1,000 tokens at $4 a million.
  expect(made.parts['graders']).toBeCloseTo((3 * 20 * 1000 * 4) / 1_000_000, 9);
  const elsewhere = computeForecast(input(20, { history: { same: [], other: same }, priceOf }));
  expect(elsewhere.parts['graders']).toBeUndefined();
});

test('nine runs of the scenario decide alone; one leaves half to what is known elsewhere', () => {
  const use = middle(20);
  const wide = computeForecast(input(20));
  const one = computeForecast(input(20, { history: { same: [use], other: [] } }));
  const nine = computeForecast(input(20, { history: { same: Array.from({ length: 9 }, () => use), other: [] } }));
  // Equal runs do not promise that the next one is equal.
  expect(nine.p90 / nine.p50).toBeCloseTo(1.2, 9);
  expect(one.p90).toBeGreaterThan(nine.p90);
  expect(one.p90).toBeLessThanOrEqual(wide.p90);
  expect(nine.runs).toEqual({ same: 9, other: 0 });
});

test('a run of another size is scaled to this one', () => {
  const other = Array.from({ length: 9 }, () => middle(10));
  const same = computeForecast(input(10, { history: { same: other, other: [] } }));
  const twice = computeForecast(input(20, { history: { same: [], other } }));
  expect(twice.parts['build']).toBeCloseTo(2 * (same.parts['build'] ?? 0), 6);
  expect(twice.parts['design']).toBeCloseTo(same.parts['design'] ?? 0, 6);
});

test('at a gate only what is to come counts, with what the run itself has shown', () => {
  const use = { ...middle(20), rounds: 1, iterations: 0 };
  const before = computeForecast(input(20));
  const gate = computeForecast(input(20, { soFar: { use, rounds: 1, iterations: 0 } }));
  expect(gate.p50).toBeLessThan(before.p50);
  const dear = { who: 'subject', model: 'm', tokens: { input: 1_000_000, cacheWrite: 0, cacheRead: 0, output: 0 } };
  const later = computeForecast(input(20, { soFar: { use: { ...use, perTrial: [dear] }, rounds: 1, iterations: 1 } }));
  // At least one iteration more, of 20 trials at $0.10 each.
  expect(later.parts['subject']).toBeGreaterThanOrEqual(2 - 1e-9);
});

test('the parts add up to the P50, and P50 lies between floor and P90', () => {
  const made = computeForecast(input(30));
  const sum = Object.values(made.parts).reduce((total, part) => total + part, 0);
  expect(sum).toBeCloseTo(made.p50, 9);
  expect(made.floor).toBeLessThan(made.p50);
  expect(made.p90).toBeGreaterThan(made.p50);
});

type Recorded = { scenario: string; usd: number; trials: number; samples: number; subject: string; use: RunUse };

/** Uninterrupted runs against the offline model: 15 of the three shipped scenarios, 8 of the template; oldest first. */
const RECORDED = JSON.parse(readFileSync(new URL('recorded-runs.json', import.meta.url), 'utf8')) as Recorded[];

test.each(['nothing known', 'other scenarios', 'all that went before'])(
  'on recorded runs the P90 holds in 85 %, the P50 of three in four lies within a factor of 1.5: %s',
  (known) => {
    const hits = RECORDED.map((run, index) => {
      const before =
        known === 'all that went before' ? RECORDED.slice(0, index) : known === 'nothing known' ? [] : RECORDED;
      const usesOf = (isSame: boolean) =>
        before
          .filter((one) => (one.scenario === run.scenario) === isSame)
          .slice(-6)
          .map(({ use }) => use);
      const history = { same: known === 'other scenarios' ? [] : usesOf(true), other: usesOf(false) };
      const subject = run.subject === 'claude-opus-5-5' ? OPUS : HAIKU;
      const made = computeForecast({
        ...{ brief: brief(run.samples, { trials: run.trials }), sources: run.use.sources, simulated: true, history },
        ...{ prices: { ...AGENTS, subject, user: subject }, priceOf: () => subject },
      });
      const off = made.p50 / run.usd;
      return { ...made, paid: run.usd, holds: run.usd <= made.p90, near: off < 1.5 && off > 1 / 1.5 };
    });
    const share = (name: 'holds' | 'near') => hits.filter((one) => one[name]).length / hits.length;
    expect(hits.length).toBeGreaterThanOrEqual(20);
    expect(share('holds')).toBeGreaterThanOrEqual(0.85);
    expect(share('near')).toBeGreaterThanOrEqual(0.75);
    const sum = (name: 'p50' | 'paid') => hits.reduce((total, one) => total + one[name], 0);
    expect(sum('p50') / sum('paid')).toBeGreaterThan(1 / 1.2);
    expect(sum('p50') / sum('paid')).toBeLessThan(1.2);
  },
);
