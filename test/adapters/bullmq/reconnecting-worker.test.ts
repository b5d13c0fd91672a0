/** A worker whose first connection failed is replaced; the next one has its listeners, and its pause. */
import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { reconnectingWorker } from '../../../src/adapters/bullmq/reconnecting-worker.ts';

type Opened = ReturnType<Parameters<typeof reconnectingWorker>[0]>;

function workers(failing: number) {
  const made: (EventEmitter & { closed: unknown[]; pauses: number })[] = [];
  const open = (): Opened => {
    const own = made.length;
    const worker = Object.assign(new EventEmitter(), { closed: [] as unknown[], pauses: 0 });
    made.push(worker);
    return Object.assign(worker, {
      waitUntilReady: () => (own < failing ? Promise.reject(new Error('refused')) : Promise.resolve()),
      close: async (force?: boolean) => void worker.closed.push(force),
      pause: async () => void (worker.pauses += 1),
      rateLimit: async () => undefined,
      resume: async () => undefined,
    });
  };
  return { open, made };
}

test('is opened again until it has connected', async () => {
  const { open, made } = workers(2);
  const seen: string[] = [];
  const steady = reconnectingWorker(open, 1);
  steady.on('error', ({ message }) => seen.push(message));
  await steady.pause(true);
  await vi.waitFor(() => expect(made).toHaveLength(3));
  await delay(10);
  expect(made.map(({ closed }) => closed)).toEqual([[true], [true], []]);
  made[2]?.emit('error', new Error('of the last'));
  expect(seen).toEqual(['of the last']);
  expect(made[2]?.pauses).toBe(1);
  await steady.close(false);
  expect(made[2]?.closed).toEqual([false]);
});

test('is not opened again once it is closed', async () => {
  const { open, made } = workers(Infinity);
  const steady = reconnectingWorker(open, 5);
  await steady.close(true);
  await delay(20);
  expect(made).toHaveLength(1);
});

test('one that fails before it has connected rests, so that timers and signals are heard; it works when it has', async () => {
  const worker = Object.assign(new EventEmitter(), { isPaused: false });
  const connected = Promise.withResolvers<void>();
  const open = (): Opened =>
    Object.assign(worker, {
      waitUntilReady: () => connected.promise,
      close: async () => undefined,
      pause: async () => void (worker.isPaused = true),
      rateLimit: async () => undefined,
      resume: async () => void (worker.isPaused = false),
    });
  const steady = reconnectingWorker(open, 1);
  worker.emit('error', new Error('refused'));
  expect(worker.isPaused).toBe(true);
  connected.resolve();
  await vi.waitFor(() => expect(worker.isPaused).toBe(false));
  worker.emit('error', new Error('a query that failed'));
  expect(worker.isPaused).toBe(false);
  await steady.close(false);
});
