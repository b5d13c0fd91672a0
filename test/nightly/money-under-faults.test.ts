/**
 * Nights in which every second call fails end by themselves, and the upper end of their money stays near that of a clean one.
 * Its small sibling in CI: test/slow/money-under-faults.test.ts.
 */
import { test } from 'vitest';
import { expectHonestMoney, measureCleanRun, measureRunUnderFaults } from '../support/money-under-faults.ts';

const SEEDS = Array.from({ length: 10 }, (_, index) => index + 1);

test('ten seeds', { timeout: 40 * 60_000 }, async () => {
  const clean = await measureCleanRun('refund-desk');
  for (const seed of SEEDS) expectHonestMoney(await measureRunUnderFaults('refund-desk', seed), clean, `seed ${seed}`);
});
