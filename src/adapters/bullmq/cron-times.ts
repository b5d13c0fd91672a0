/** The times of a cron pattern in a time zone. */
import { defaultRepeatStrategy } from 'bullmq';
import { describeError, usageError } from '../../errors.ts';

/** Returns the next time after one, undefined when there is none. Contract: `usage` for a pattern that names no times. */
export function createCronTimes(pattern: { cron: string; timeZone: string }): (afterMs: number) => number | undefined {
  const { cron, timeZone } = pattern;
  return (afterMs) => {
    try {
      const next: unknown = defaultRepeatStrategy(afterMs, { pattern: cron, tz: timeZone });
      return typeof next === 'number' ? next : undefined;
    } catch (cause) {
      const message = `--cron "${cron}" names no times: ${describeError(cause)}. Give minute, hour, day, month and weekday, such as "0 2 * * *"; a sixth field, of seconds, goes first.`;
      throw usageError(message, { cause });
    }
  };
}
