import { expect, test } from 'vitest';
import { createInProcessQueue } from '../../../src/adapters/in-process/in-process-queue.ts';
import { HarnessError } from '../../../src/errors.ts';
import { jobQueueContract } from '../../contracts/job-queue.contract.ts';

// C.2
jobQueueContract('in-process', async () => createInProcessQueue({ concurrency: 4, tries: 3, minDelayMs: 0 }));

const retryable = (message: string) => Object.assign(new Error(message), { retryable: true });

test('handles no more runs at a time than it may', async () => {
  const queue = createInProcessQueue({ concurrency: 2 });
  let now = 0;
  let most = 0;
  await queue.work(async () => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
  });
  await Promise.all(Array.from({ length: 9 }, (_, index) => queue.wake({ run: `r${index}` })));
  await queue.idle();
  expect(most).toBe(2);
  await queue.close();
});

test('tells each retry, with the wait and the reason, and not the last failure', async () => {
  const told: unknown[] = [];
  const queue = createInProcessQueue({
    tries: 3,
    minDelayMs: 0,
    onRetry: ({ run }, { attempt, error }) => told.push([run, attempt, error.message]),
  });
  await queue.work(async () => Promise.reject(retryable('529')));
  await queue.wake({ run: 'a' });
  await expect(queue.idle()).rejects.toThrow('529');
  expect(told).toEqual([
    ['a', 1, '529'],
    ['a', 2, '529'],
  ]);
  await queue.close();
});

test('a run that waits for its next try holds no place', async () => {
  const failed = Promise.withResolvers<void>();
  const queue = createInProcessQueue({ concurrency: 1, minDelayMs: 60_000, onRetry: () => failed.resolve() });
  const other = Promise.withResolvers<void>();
  await queue.work(async ({ run }) => {
    if (run === 'a') throw retryable('429');
    other.resolve();
  });
  await queue.wake({ run: 'a' });
  await failed.promise;
  await queue.wake({ run: 'b' });
  await other.promise;
  await queue.close();
});

test('closing ends the wait for the next try at once', async () => {
  const failed = Promise.withResolvers<void>();
  const queue = createInProcessQueue({ minDelayMs: 60_000, maxDelayMs: 60_000, onRetry: () => failed.resolve() });
  await queue.work(async () => Promise.reject(retryable('429')));
  await queue.wake({ run: 'a' });
  await failed.promise;
  await queue.close();
});

test('is worked on once, and not after its end', async () => {
  const queue = createInProcessQueue();
  await queue.work(async () => undefined);
  await expect(queue.work(async () => undefined)).rejects.toMatchObject({ code: 'usage' });
  await queue.close();
  const closed = createInProcessQueue();
  await closed.close();
  await expect(closed.work(async () => undefined)).rejects.toMatchObject({ code: 'usage' });
});

const busy = (retryAfterMs: number) =>
  new HarnessError('model_unavailable', '429', { retryable: true, details: { retryAfterMs } });

test('what the provider asked for is waited between two tries, and said', async () => {
  const pauses: number[] = [];
  const queue = createInProcessQueue({ tries: 2, minDelayMs: 0, onRetry: (_job, { delayMs }) => pauses.push(delayMs) });
  const at: number[] = [];
  await queue.work(async () => {
    at.push(performance.now());
    if (at.length === 1) throw busy(120);
  });
  await queue.wake({ run: 'a' });
  await queue.idle();
  expect(pauses).toEqual([120]);
  expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(110);
  await queue.close();
});

test('an hour is not waited: the run ends at once with what the provider asked for', async () => {
  let tries = 0;
  const queue = createInProcessQueue({ tries: 3, minDelayMs: 0 });
  await queue.work(async () => {
    tries += 1;
    throw busy(3_600_000);
  });
  await queue.wake({ run: 'a' });
  await expect(queue.idle()).rejects.toMatchObject({ details: { retryAfterMs: 3_600_000 } });
  expect(tries).toBe(1);
  await queue.close();
});

test('only tries that brought the run no further are counted', async () => {
  let tries = 0;
  const queue = createInProcessQueue({ tries: 2, minDelayMs: 0 });
  await queue.work(async () => {
    tries += 1;
    const details = tries <= 8 ? { advanced: true } : {};
    throw new HarnessError('model_unavailable', `try ${tries}`, { retryable: true, details });
  });
  await queue.wake({ run: 'a' });
  await expect(queue.idle()).rejects.toThrow('try 10');
  await queue.close();
});
