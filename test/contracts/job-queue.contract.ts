/** What every job queue must do with wake-ups. */
import { describe, expect, test, vi } from 'vitest';
import type { JobQueue } from '../../src/ports/job-queue.ts';

/** `open` makes a queue that tries a retryable error again at once, three times at most. */
export function jobQueueContract(name: string, open: () => Promise<JobQueue>): void {
  describe(`job-queue contract: ${name}`, () => {
    test('handles a wake-up from before and after it is worked on', async () => {
      const queue = await open();
      const seen: string[] = [];
      await queue.wake({ run: 'a' });
      await queue.work(async ({ run }) => void seen.push(run));
      await queue.wake({ run: 'b' });
      await queue.idle();
      expect(seen.toSorted()).toEqual(['a', 'b']);
      await queue.close();
    });

    test('makes one wake-up of several that wait', async () => {
      const queue = await open();
      for (let index = 0; index < 5; index += 1) await queue.wake({ run: 'a' });
      const handle = vi.fn(async () => undefined);
      await queue.work(handle);
      await queue.idle();
      expect(handle).toHaveBeenCalledTimes(1);
      await queue.close();
    });

    test('runs a run again that is woken while it is handled, and never twice at a time', async () => {
      const queue = await open();
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
      expect({ times, most }).toEqual({ times: 2, most: 1 });
      await queue.close();
    });

    test('handles different runs side by side', async () => {
      const queue = await open();
      const both = Promise.withResolvers<void>();
      const inside = new Set<string>();
      await queue.work(async ({ run }) => {
        inside.add(run);
        if (inside.size === 2) both.resolve();
        await both.promise;
      });
      await Promise.all([queue.wake({ run: 'a' }), queue.wake({ run: 'b' })]);
      await queue.idle();
      expect(inside.size).toBe(2);
      await queue.close();
    });

    test('tries a retryable error again', async () => {
      const queue = await open();
      let tries = 0;
      await queue.work(async () => {
        tries += 1;
        if (tries < 3) throw Object.assign(new Error('529'), { retryable: true });
      });
      await queue.wake({ run: 'a' });
      await queue.idle();
      expect(tries).toBe(3);
      await queue.close();
    });

    test('gives up on a retryable error in the end', async () => {
      const queue = await open();
      const handle = vi.fn(async () => Promise.reject(Object.assign(new Error('529'), { retryable: true })));
      await queue.work(handle);
      await queue.wake({ run: 'a' });
      await expect(queue.idle()).rejects.toThrow('529');
      expect(handle).toHaveBeenCalledTimes(3);
      await queue.close();
    });

    test.each([[Object.assign(new Error('no'), { retryable: false })], [new Error('no')]])(
      'never tries any other error again',
      async (error) => {
        const queue = await open();
        const handle = vi.fn(async () => {
          throw error;
        });
        await queue.work(handle);
        await queue.wake({ run: 'a' });
        await expect(queue.idle()).rejects.toThrow('no');
        expect(handle).toHaveBeenCalledTimes(1);
        await queue.close();
      },
    );

    test('lets the others finish before it tells of the first final error, and tells it once', async () => {
      const queue = await open();
      const done: string[] = [];
      await queue.work(async ({ run }) => {
        if (run === 'bad') throw new Error('broken');
        await new Promise((resolve) => setImmediate(resolve));
        done.push(run);
      });
      await Promise.all(['bad', 'a', 'b'].map((run) => queue.wake({ run })));
      await expect(queue.idle()).rejects.toThrow('broken');
      expect(done.toSorted()).toEqual(['a', 'b']);
      await queue.idle();
      await queue.wake({ run: 'c' });
      await queue.idle();
      expect(done).toContain('c');
      await queue.close();
    });

    test('is idle at once when nothing was woken', async () => {
      const queue = await open();
      await queue.work(async () => undefined);
      await queue.idle();
      await queue.close();
    });

    test('aborts what runs when it closes, waits for it, and takes nothing more', async () => {
      const queue = await open();
      const begun = Promise.withResolvers<void>();
      let left = false;
      const handle = vi.fn(async (_job: unknown, signal: AbortSignal) => {
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
      expect(left).toBe(true);
      await queue.wake({ run: 'b' });
      expect(handle).toHaveBeenCalledTimes(1);
    });

    test('gives what runs the time to end by itself, when it is closed with a grace', async () => {
      const queue = await open();
      const begun = Promise.withResolvers<void>();
      let ended = false;
      const handle = vi.fn(async (_job: unknown, signal: AbortSignal) => {
        begun.resolve();
        await new Promise((resolve) => setTimeout(resolve, 30));
        ended = !signal.aborted;
      });
      await queue.work(handle);
      await queue.wake({ run: 'a' });
      await begun.promise;
      await queue.close(10_000);
      expect(ended).toBe(true);
      expect(handle).toHaveBeenCalledTimes(1);
    });

    test('aborts what outlives the grace', async () => {
      const queue = await open();
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
      expect(reason).toMatchObject({ name: 'AbortError' });
    });

    test('handles a run again that is woken after it failed for good', async () => {
      const queue = await open();
      let times = 0;
      await queue.work(async () => {
        times += 1;
        if (times === 1) throw new Error('broken');
      });
      await queue.wake({ run: 'a' });
      await expect(queue.idle()).rejects.toThrow('broken');
      await queue.wake({ run: 'a' });
      await queue.idle();
      expect(times).toBe(2);
      await queue.close();
    });

    test('tries an error again whose text no database could store, as often as any other', async () => {
      const queue = await open();
      const text = `nul \0, half a pair \uD83D, long ${'x'.repeat(5_000)}`;
      const handle = vi.fn(async () => Promise.reject(Object.assign(new Error(text), { retryable: true })));
      await queue.work(handle);
      await queue.wake({ run: 'a' });
      await expect(queue.idle()).rejects.toThrow('half a pair');
      expect(handle).toHaveBeenCalledTimes(3);
      await queue.close();
    });

    test('wakes each lane of a run, and tells the handler nothing but the pointer', async () => {
      const queue = await open();
      const seen: string[] = [];
      await queue.work(async ({ run }) => void seen.push(run));
      await queue.wake({ run: 'a', lane: 'init' });
      await queue.idle();
      await queue.wake({ run: 'a', lane: 'execute' });
      await queue.idle();
      expect(seen).toEqual(['a', 'a']);
      await queue.close();
    });

    test('does not call itself idle when it closes over unfinished work', async () => {
      const queue = await open();
      const begun = Promise.withResolvers<void>();
      await queue.work(async (_job, signal) => {
        begun.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      });
      await queue.wake({ run: 'a' });
      await begun.promise;
      const idle = queue.idle();
      const told = expect(idle).rejects.toMatchObject({ name: 'AbortError' });
      await queue.close();
      await told;
    });
  });
}
