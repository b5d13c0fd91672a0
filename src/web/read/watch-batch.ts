/** News of a batch for any number of readers: one shared read at a time, active only while there are readers. */
import { isHarnessError } from '../../errors.ts';
import type { Batches } from '../web-deps.ts';
import { changedNews, newsOfBatch, type BatchNews } from './batch-rows.ts';
import type { Watching } from './watch-run.ts';

/** After each look; a large batch that takes long to look at is looked at less often. */
const REST_MS = 1500;
const REST_TIMES = 5;

export type BatchWatchers = {
  /** `notify` is called with the whole batch, and then with each change. */
  follow: (id: string, notify: (news: BatchNews) => void) => Watching;
  count: () => number;
  close: () => void;
};

type Watched = {
  readers: Set<(news: BatchNews) => void>;
  last: BatchNews | undefined;
  timer: NodeJS.Timeout | undefined;
};

export function createBatchWatchers(batches: Batches): BatchWatchers {
  const watched = new Map<string, Watched>();
  const stop = (id: string, one: Watched): void => {
    clearTimeout(one.timer);
    if (watched.get(id) === one) watched.delete(id);
  };
  return {
    follow: (id, notify) => {
      const one = watched.get(id) ?? begin(id, watched, batches);
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

function begin(id: string, watched: Map<string, Watched>, batches: Batches): Watched {
  const one: Watched = { readers: new Set(), last: undefined, timer: undefined };
  const look = async (): Promise<void> => {
    const before = performance.now();
    const now = await newsNow(id, batches);
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

/** A batch that cannot be read now has no news; its page says what is wrong. */
async function newsNow(id: string, batches: Batches): Promise<BatchNews | undefined> {
  try {
    return newsOfBatch((await batches.read(id)).summary);
  } catch (error) {
    if (isHarnessError(error) || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}
