/** A night in which every second call fails ends by itself, and the upper end of its money stays near that of a clean night. */
import { test } from 'vitest';
import { expectHonestMoney, measureCleanRun, measureRunUnderFaults } from '../support/money-under-faults.ts';

test('one seed', async () => {
  const clean = await measureCleanRun('refund-desk');
  expectHonestMoney(await measureRunUnderFaults('refund-desk', 2), clean, 'seed 2');
});
