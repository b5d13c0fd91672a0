/** A worker on PostgreSQL that survives a server which is away when it connects for the first time. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker, WorkerListener } from 'bullmq';
import type { Job as Pointer } from '../../ports/job-queue.ts';

const AGAIN_MS = 1000;

export type LaneWorker = Pick<Worker<Pointer, void>, 'close' | 'pause' | 'rateLimit' | 'resume'> & {
  on<Event extends keyof WorkerEvents>(event: Event, listener: WorkerEvents[Event]): unknown;
};
type WorkerEvents = Pick<WorkerListener<Pointer, void>, 'error' | 'failed' | 'locksRenewed' | 'lockRenewalFailed'>;

type Opened = LaneWorker & Pick<Worker, 'waitUntilReady'>;

/** BullMQ remembers for good that its first connection failed, and such a worker never takes a job: another one takes its place. */
export function reconnectingWorker(open: () => Opened, againMs = AGAIN_MS): LaneWorker {
  const listeners: ((worker: Opened) => void)[] = [];
  const closing = new AbortController();
  let isPaused = false;
  let isReady = false;
  let isResting = false;
  // A worker whose first connection failed asks again and again without a pause: no timer and no signal would be heard any more.
  const opened = (): Opened => {
    const worker = open();
    worker.on('error', () => {
      if (isReady || isResting) return;
      isResting = true;
      worker.pause(true).catch(() => undefined);
    });
    return worker;
  };
  let current = opened();

  const watch = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      isReady = await current.waitUntilReady().then(
        () => true,
        () => false,
      );
      if (isReady) {
        if (isResting && !isPaused) await current.resume();
        return;
      }
      await delay(againMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
      if (closing.signal.aborted) return;
      await current.close(true).catch(() => undefined);
      isResting = false;
      current = opened();
      for (const listen of listeners) listen(current);
      if (isPaused) await current.pause(true);
    }
  };
  void watch();

  return {
    on(event, listener) {
      const listen = (worker: Opened): void => void worker.on(event, listener);
      listeners.push(listen);
      listen(current);
    },
    async pause(withoutWaiting) {
      isPaused = true;
      await current.pause(withoutWaiting);
    },
    async resume() {
      isPaused = false;
      await current.resume();
    },
    rateLimit: (ms) => current.rateLimit(ms),
    async close(force) {
      closing.abort();
      await current.close(force);
    },
  };
}
