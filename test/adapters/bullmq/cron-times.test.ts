/** The times of a cron pattern, in a zone whose hours change: each day has one. */
import { expect, test } from 'vitest';
import { createCronTimes } from '../../../src/adapters/bullmq/cron-times.ts';

function listTimes(cron: string, from: string, count: number): string[] {
  const nextTime = createCronTimes({ cron, timeZone: 'Europe/Berlin' });
  const found: string[] = [];
  let at: number | undefined = Date.parse(from);
  while (found.length < count && (at = nextTime(at)) !== undefined) found.push(new Date(at).toISOString().slice(0, 16));
  return found;
}

test('the hour that summer time takes or gives is one night', () => {
  const spring = listTimes('30 2 * * *', '2026-03-27T12:00:00.000Z', 3);
  expect(spring.map((time) => time.slice(0, 10))).toEqual(['2026-03-28', '2026-03-29', '2026-03-30']);
  const autumn = listTimes('30 2 * * *', '2026-10-23T12:00:00.000Z', 3);
  expect(autumn.map((time) => time.slice(0, 10))).toEqual(['2026-10-24', '2026-10-25', '2026-10-26']);
});

test('a pattern without times is a wrong command line', () => {
  expect(() => listTimes('61 * * * *', '2026-03-27T12:00:00.000Z', 1)).toThrow(/names no times: .*such as "0 2/);
});
