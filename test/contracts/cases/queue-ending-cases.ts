/** The rules of every job queue for closing. */
import assert from 'node:assert/strict';
import type { JobQueue } from '../../../src/ports/job-queue.ts';
import { type Checks } from './contract-case.ts';
import { assertLike, assertRejects } from './assertions.ts';

/** Wraps a function so that its calls are counted. */
export function countCalls<Args extends unknown[], Result>(work: (...args: Args) => Result) {
  const handle = Object.assign(
    (...args: Args): Result => {
      handle.times += 1;
      return work(...args);
    },
    { times: 0 },
  );
  return handle;
}

export const ENDING_CHECKS: Checks<JobQueue> = {
  'aborts what runs when it closes, waits for it, and takes nothing more': async (queue) => {
    const begun = Promise.withResolvers<void>();
    let left = false;
    const handle = countCalls(async (_job: unknown, signal: AbortSignal) => {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await new Promise((resolve) => setImmediate(resolve));
      left = true;
      throw signal.reason;
    });
    await queue.work(handle);
    await queue.wake({ run: 'a' });
    await begun.promise;
    await queue.wake({ run: 'a' });
    await queue.close();
    assert.equal(left, true);
    await queue.wake({ run: 'b' });
    assert.equal(handle.times, 1);
  },
  'gives what runs the time to end by itself, when it is closed with a grace': async (queue) => {
    const begun = Promise.withResolvers<void>();
    let ended = false;
    const handle = countCalls(async (_job: unknown, signal: AbortSignal) => {
      begun.resolve();
      await new Promise((resolve) => setTimeout(resolve, 30));
      ended = !signal.aborted;
    });
    await queue.work(handle);
    await queue.wake({ run: 'a' });
    await begun.promise;
    await queue.close(10_000);
    assert.equal(ended, true);
    assert.equal(handle.times, 1);
  },
  'aborts what outlives the grace': async (queue) => {
    const begun = Promise.withResolvers<void>();
    let reason: unknown;
    await queue.work(async (_job, signal) => {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      reason = signal.reason;
      throw signal.reason;
    });
    await queue.wake({ run: 'a' });
    await begun.promise;
    await queue.close(20);
    assertLike(reason, { name: 'AbortError' });
  },
  'does not call itself idle when it closes over unfinished work': async (queue) => {
    const begun = Promise.withResolvers<void>();
    await queue.work(async (_job, signal) => {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    });
    await queue.wake({ run: 'a' });
    await begun.promise;
    const idle = queue.idle();
    const rejected = assertRejects(idle, { name: 'AbortError' });
    await queue.close();
    await rejected;
  },
};
