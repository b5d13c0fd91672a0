/** Work that several callers wait for: it goes on while one of them is left, and begins again when somebody comes after its end. */
import { unlessAborted } from '../../../ports/unless-aborted.ts';

export type SharedWork<Value> = (signal: AbortSignal) => Promise<Value>;

type Running<Value> = { promise: Promise<Value>; stop: AbortController; callers: number };

/** Contract: what succeeded is remembered; a caller that leaves rejects at once with its signal's reason. */
export function sharedWork<Value>(work: (signal: AbortSignal) => Promise<Value>): SharedWork<Value> {
  let running: Running<Value> | undefined;
  const begin = (): Running<Value> => {
    const stop = new AbortController();
    const begun: Running<Value> = { promise: work(stop.signal), stop, callers: 0 };
    begun.promise.catch(() => {
      if (running === begun) running = undefined;
    });
    return begun;
  };
  return async (signal) => {
    signal.throwIfAborted();
    running ??= begin();
    const mine = running;
    mine.callers += 1;
    try {
      return await unlessAborted(mine.promise, signal);
    } finally {
      mine.callers -= 1;
      if (mine.callers === 0) mine.stop.abort(signal.reason);
      if (mine.stop.signal.aborted && running === mine && signal.aborted) running = undefined;
    }
  };
}
