/** Waiting for a server no longer than makes sense: what is away or closed may never answer. */
import { setTimeout as delay } from 'node:timers/promises';

/** True when the work was done well before the time was over. */
export async function withTimeout(ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  const done = work
    .then(
      () => true,
      () => false,
    )
    .finally(() => over.abort());
  return Promise.race([done, delay(ms, false, { signal: over.signal }).catch(() => done)]);
}

/** After a close PostgreSQL's promises may never settle (seen with BullMQ 6.7). */
export async function ignoreIfClosed<Value>(work: Promise<Value>, closed: AbortSignal): Promise<Value> {
  closed.throwIfAborted();
  const end = Promise.withResolvers<never>();
  const stop = (): void => end.reject(closed.reason);
  closed.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, end.promise]);
  } finally {
    closed.removeEventListener('abort', stop);
  }
}
