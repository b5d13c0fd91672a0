/** The rules of every job queue for wake-ups. */
import assert from 'node:assert/strict';
import type { JobQueue } from '../../../src/ports/job-queue.ts';
import { countCalls, ENDING_CHECKS } from './queue-ending-cases.ts';
import { createCases, type Checks, type ContractCase, checksFor } from './contract-case.ts';
import { assertRejects } from './assertions.ts';

const CHECKS: Checks<JobQueue> = {
  'handles a wake-up from before and after it is worked on': async (queue) => {
    const seen: string[] = [];
    await queue.wake({ run: 'a' });
    await queue.work(async ({ run }) => void seen.push(run));
    await queue.wake({ run: 'b' });
    await queue.idle();
    assert.deepEqual(seen.toSorted(), ['a', 'b']);
  },
  'makes one wake-up of several that wait': async (queue) => {
    for (let index = 0; index < 5; index += 1) await queue.wake({ run: 'a' });
    const handle = countCalls(async () => undefined);
    await queue.work(handle);
    await queue.idle();
    assert.equal(handle.times, 1);
  },
  'runs a run again that is woken while it is handled, and never twice at a time': async (queue) => {
    let now = 0;
    let most = 0;
    let times = 0;
    await queue.work(async (job) => {
      now += 1;
      most = Math.max(most, now);
      times += 1;
      if (times === 1) for (let index = 0; index < 3; index += 1) await queue.wake(job);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
    });
    await queue.wake({ run: 'a' });
    await queue.idle();
    assert.deepEqual({ times, most }, { times: 2, most: 1 });
  },
  'handles different runs side by side': async (queue) => {
    const both = Promise.withResolvers<void>();
    const inside = new Set<string>();
    await queue.work(async ({ run }) => {
      inside.add(run);
      if (inside.size === 2) both.resolve();
      await both.promise;
    });
    await Promise.all([queue.wake({ run: 'a' }), queue.wake({ run: 'b' })]);
    await queue.idle();
    assert.equal(inside.size, 2);
  },
  'tries a retryable error again': async (queue) => {
    let tries = 0;
    await queue.work(async () => {
      tries += 1;
      if (tries < 3) throw Object.assign(new Error('529'), { retryable: true });
    });
    await queue.wake({ run: 'a' });
    await queue.idle();
    assert.equal(tries, 3);
  },
  'gives up on a retryable error in the end': async (queue) => {
    const handle = countCalls(async () => Promise.reject(Object.assign(new Error('529'), { retryable: true })));
    await queue.work(handle);
    await queue.wake({ run: 'a' });
    await assertRejects(queue.idle(), { message: /529/ });
    assert.equal(handle.times, 3);
  },
  ...checksFor([Object.assign(new Error('no'), { retryable: false }), new Error('no')], (error) => [
    `never tries any other error again (${'retryable' in error ? 'one that says so' : 'one that says nothing'})`,
    async (queue: JobQueue) => {
      const handle = countCalls(async () => {
        throw error;
      });
      await queue.work(handle);
      await queue.wake({ run: 'a' });
      await assertRejects(queue.idle(), { message: /no/ });
      assert.equal(handle.times, 1);
    },
  ]),
  'lets the others finish before it tells of the first final error, and tells it once': async (queue) => {
    const done: string[] = [];
    await queue.work(async ({ run }) => {
      if (run === 'bad') throw new Error('broken');
      await new Promise((resolve) => setImmediate(resolve));
      done.push(run);
    });
    await Promise.all(['bad', 'a', 'b'].map((run) => queue.wake({ run })));
    await assertRejects(queue.idle(), { message: /broken/ });
    assert.deepEqual(done.toSorted(), ['a', 'b']);
    await queue.idle();
    await queue.wake({ run: 'c' });
    await queue.idle();
    assert.ok(done.includes('c'));
  },
  'is idle at once when nothing was woken': async (queue) => {
    await queue.work(async () => undefined);
    await queue.idle();
  },
  'handles a run again that is woken after it failed for good': async (queue) => {
    let times = 0;
    await queue.work(async () => {
      times += 1;
      if (times === 1) throw new Error('broken');
    });
    await queue.wake({ run: 'a' });
    await assertRejects(queue.idle(), { message: /broken/ });
    await queue.wake({ run: 'a' });
    await queue.idle();
    assert.equal(times, 2);
  },
  'tries an error again whose text no database could store, as often as any other': async (queue) => {
    const text = `nul \0, half a pair \uD83D, long ${'x'.repeat(5_000)}`;
    const handle = countCalls(async () => Promise.reject(Object.assign(new Error(text), { retryable: true })));
    await queue.work(handle);
    await queue.wake({ run: 'a' });
    await assertRejects(queue.idle(), { message: /half a pair/ });
    assert.equal(handle.times, 3);
  },
  'wakes each lane of a run, and tells the handler nothing but the pointer': async (queue) => {
    const seen: string[] = [];
    await queue.work(async ({ run }) => void seen.push(run));
    await queue.wake({ run: 'a', lane: 'init' });
    await queue.idle();
    await queue.wake({ run: 'a', lane: 'execute' });
    await queue.idle();
    assert.deepEqual(seen, ['a', 'a']);
  },
};

/** `open` makes a queue that retries a retryable error at once, with three tries at most. */
export function jobQueueCases(open: () => Promise<JobQueue>): ContractCase[] {
  return [...createCases(CHECKS, open, (queue) => queue.close()), ...createCases(ENDING_CHECKS, open)];
}
