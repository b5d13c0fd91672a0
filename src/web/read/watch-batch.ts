/** News of a batch for any number of readers: one shared read at a time, active only while there are readers. */
import type { Batches } from '../web-deps.ts';
import { changedNews, newsOfBatch, type BatchNews } from './batch-rows.ts';
import { ignoreUnreadable, type NewsSubscription } from './watch-run.ts';

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
    const found = await batches.read(id).catch(ignoreUnreadable);
    if (found !== undefined) {
      const now = newsOfBatch(found.summary);
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
