/** News of a batch for any number of readers: one shared read at a time, active only while there are readers. */
import { isHarnessError } from '../../errors.ts';
import type { Batches } from '../web-deps.ts';
import { changedNews, newsOfBatch, type BatchNews } from './batch-rows.ts';
import type { NewsSubscription } from './watch-run.ts';

/** Pause after each look; a batch that takes long to read is read less often. */
const REST_MS = 1500;
const REST_TIMES = 5;

export type BatchWatchers = {
  /** `notify` is called with the whole batch, and then with each change. */
  follow: (id: string, notify: (news: BatchNews) => void) => NewsSubscription;
  count: () => number;
  close: () => void;
};

type WatchedBatch = {
  readers: Set<(news: BatchNews) => void>;
  last: BatchNews | undefined;
  timer: NodeJS.Timeout | undefined;
};

export function createBatchWatchers(batches: Batches): BatchWatchers {
  const watched = new Map<string, WatchedBatch>();
  const stop = (id: string, one: WatchedBatch): void => {
    clearTimeout(one.timer);
    if (watched.get(id) === one) watched.delete(id);
  };
  return {
    follow: (id, notify) => {
      const one = watched.get(id) ?? startWatching(id, watched, batches);
      one.readers.add(notify);
      if (one.last !== undefined) notify(one.last);
      return {
        stop: () => {
          one.readers.delete(notify);
          if (one.readers.size === 0) stop(id, one);
        },
      };
    },
    count: () => watched.size,
    close: () => {
      for (const [id, one] of watched) stop(id, one);
    },
  };
}

function startWatching(id: string, watched: Map<string, WatchedBatch>, batches: Batches): WatchedBatch {
  const one: WatchedBatch = { readers: new Set(), last: undefined, timer: undefined };
  const look = async (): Promise<void> => {
    const before = performance.now();
    const now = await readBatchNews(id, batches);
    if (now !== undefined) {
      const news = one.last === undefined ? now : changedNews(one.last, now);
      one.last = now;
      if (news !== undefined) for (const notify of one.readers) notify(news);
    }
    if (watched.get(id) !== one) return;
    const rest = Math.max(REST_MS, (performance.now() - before) * REST_TIMES);
    one.timer = setTimeout(() => void look(), rest);
    one.timer.unref();
  };
  watched.set(id, one);
  void look();
  return one;
}

/** An unreadable batch has no news; its page shows the error. */
async function readBatchNews(id: string, batches: Batches): Promise<BatchNews | undefined> {
  try {
    return newsOfBatch((await batches.read(id)).summary);
  } catch (error) {
    if (isHarnessError(error) || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}
