/**
 * Nights in which every second call fails end by themselves, and the upper end of their money stays near that of a clean one.
 * Its small sibling in CI: test/slow/money-under-faults.test.ts.
 */
import { test } from 'vitest';
import { expectHonestMoney, measureCleanRun, measureRunUnderFaults } from '../support/money-under-faults.ts';

const seedsFrom = (first: number) => Array.from({ length: 10 }, (_, index) => first + index);

test('ten seeds', { timeout: 40 * 60_000 }, async () => {
  const clean = await measureCleanRun('refund-desk');
  for (const seed of seedsFrom(1))
    expectHonestMoney(await measureRunUnderFaults('refund-desk', seed), clean, `seed ${seed}`);
});

/** Some of them lose the longest answers, and the provider itself bills an eighth more. */
test('ten more, by what was billed', { timeout: 40 * 60_000 }, async () => {
  for (const seed of seedsFrom(11)) {
    const run = await measureRunUnderFaults('refund-desk', seed);
    expectHonestMoney(run, { ...run, usd: run.billedUsd }, `seed ${seed}`);
  }
});
