/** The cases of the port, in our own runner: over each store of limits that processes share. */
import { describe, test } from 'vitest';
import type { RateLimitStore } from '../../src/adapters/limits/rate-limit-state.ts';
import { openRateLimiter } from '../../src/adapters/limits/rate-limiter.ts';
import { limitsCases, type LimitTimes } from './cases/limits-cases.ts';

/** `open` makes one store and the doors to it that several processes would have. */
export function limitsContract(
  name: string,
  open: () => Promise<{ doors: RateLimitStore[]; close: () => Promise<void> }>,
  times: LimitTimes,
): void {
  const cases = limitsCases(async () => {
    const { doors, close } = await open();
    return { processes: doors.map((door) => openRateLimiter(door, { windowMs: times.windowMs })), close };
  }, times);
  describe(`limits contract: ${name}`, () => {
    for (const { title, run } of cases) test(title, run);
  });
}
