import { describe, expect, test } from 'vitest';
import { clusterBootstrap } from '../../../src/scenario/statistics/bootstrap.ts';
import { seededRandom } from '../../../src/scenario/statistics/bootstrap.ts';
import { wilson } from '../../../src/scenario/statistics/score.ts';

describe('seededRandom', () => {
  test('is the same for the same seed, another for another, and uniform', () => {
    const draw = (seed: number, count: number) => {
      const random = seededRandom(seed);
      return Array.from({ length: count }, random);
    };
    expect(draw(7, 50)).toEqual(draw(7, 50));
    expect(draw(7, 50)).not.toEqual(draw(8, 50));
    const many = draw(1, 50_000);
    const tenths = Array.from(
      { length: 10 },
      (_, tenth) => many.filter((one) => Math.floor(one * 10) === tenth).length,
    );
    expect(Math.max(...tenths) - Math.min(...tenths)).toBeLessThan(500);
    expect(Math.min(...many)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...many)).toBeLessThan(1);
  });
});

describe('clusterBootstrap', () => {
  const alike = Array.from({ length: 20 }, (_, index) => (index < 10 ? [1, 1, 1, 1] : [0, 0, 0, 0]));

  test('draws samples, not trials: eighty trials that hang together are twenty pieces of evidence', () => {
    const [low, high] = clusterBootstrap(alike);
    const naive = wilson(40, 80);
    expect(high - low).toBeGreaterThan(1.7 * (naive[1] - naive[0]));
    // Twenty throws of a coin: 0.5 ± 1.96 × 0.112, on a grid of twentieths.
    expect(Math.abs(low - 0.28)).toBeLessThan(0.04);
    expect(Math.abs(high - 0.72)).toBeLessThan(0.04);
  });

  test('the same seed gives the same interval', () => {
    expect(clusterBootstrap(alike, { seed: 3 })).toEqual(clusterBootstrap(alike, { seed: 3 }));
  });

  test('claims no certainty where all samples look the same', () => {
    expect(
      clusterBootstrap([
        [1, 1],
        [1, 1],
        [1, 1],
      ]),
    ).toEqual(wilson(3, 3));
    expect(clusterBootstrap([])).toEqual([0, 1]);
    expect(clusterBootstrap([[]])).toEqual([0, 1]);
  });

  test('holds the true rate in about 95 of 100 evaluations whose samples differ in how hard they are', () => {
    const random = seededRandom(11);
    let held = 0;
    const [rounds, hard, easy] = [400, 0.4, 1];
    for (let round = 0; round < rounds; round += 1) {
      const samples = Array.from({ length: 30 }, () => {
        const rate = random() < 0.5 ? hard : easy;
        return Array.from({ length: 4 }, () => (random() < rate ? 1 : 0));
      });
      const [low, high] = clusterBootstrap(samples, { seed: round, rounds: 300 });
      if (low <= (hard + easy) / 2 && (hard + easy) / 2 <= high) held += 1;
    }
    expect(held / rounds).toBeGreaterThan(0.91);
    expect(held / rounds).toBeLessThan(0.985);
  });
});
