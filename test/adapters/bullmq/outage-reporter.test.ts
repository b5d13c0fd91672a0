/** An outage of the queue's server is two lines, however many errors it causes. */
import { expect, test, vi } from 'vitest';
import { createOutageReporter } from '../../../src/adapters/bullmq/outage-reporter.ts';

function weather() {
  const told: string[] = [];
  const closing = new AbortController();
  const sky = { isAway: false };
  const probe = async (): Promise<void> => {
    if (sky.isAway) throw new Error('refused');
  };
  const complain = createOutageReporter({
    ...{ shown: 'redis://q', probe, tell: (line: string) => void told.push(line), signal: closing.signal, everyMs: 1 },
  });
  return { told, closing, sky, complain };
}

test('one line when it goes, one when it answers again, and the next outage is said anew', async () => {
  const { told, sky, complain } = weather();
  for (const times of [2, 4]) {
    sky.isAway = true;
    for (let errors = 0; errors < 100; errors += 1) complain(new Error('ECONNREFUSED'));
    await vi.waitFor(() => expect(told).toHaveLength(times - 1));
    sky.isAway = false;
    await vi.waitFor(() => expect(told).toHaveLength(times));
  }
  expect(told[0]).toContain('redis://q is away: ECONNREFUSED. Waiting for it');
  expect(told[1]).toContain('answers again');
});

test('an error while the server answers is told as it is, and a closed queue says nothing', async () => {
  const { told, closing, sky, complain } = weather();
  complain(new Error('deadlock detected'));
  await vi.waitFor(() => expect(told).toEqual(['the queue redis://q: deadlock detected']));
  sky.isAway = true;
  closing.abort();
  complain(new Error('Connection is closed.'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toHaveLength(1);
});
