import { expect, test } from 'vitest';
import { Brief } from '../../src/scenario/brief.ts';
import { userCost } from '../../src/scenario/user-cost.ts';

const brief = (max_steps: number) =>
  Brief.parse({
    version: 1,
    name: 's',
    title: 's',
    reads: ['brief.md'],
    samples: { min: 1, categories: ['c'] },
    subject: { model: 'm', max_steps, max_tokens: 100 },
    user: { simulator: 'model', max_tokens: 10 },
  });

test('one answer costs its prompt, what was said to it, and itself', () => {
  const { about, atMost } = userCost(brief(1), 1, { input: 1, output: 10 });
  expect(about * 1_000_000).toBeCloseTo(700 + 90 + 45 * 10);
  expect(atMost * 1_000_000).toBeCloseTo(700 + 100 + 10 * 10);
});

test('later answers are sent all that was said, and trials add up', () => {
  const { atMost } = userCost(brief(3), 2, { input: 1, output: 0 });
  expect(atMost * 1_000_000).toBeCloseTo(2 * (3 * 800 + 3 * 110));
});
